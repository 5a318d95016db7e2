#include "attach/injected_text.hpp"

#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace memviz::attach {

namespace {

/// Returns a bytes literal of Python.
std::string python_bytes(std::string_view bytes) {
  std::string literal = "b'";
  for (const char one : bytes) {
    const auto byte = static_cast<unsigned char>(one);
    const bool is_plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || one == '/' || one == '.' || one == '-' || one == '_');
    literal += is_plain ? std::string(1, one) : fmt::format("\\x{:02x}", byte);
  }
  return literal + '\'';
}

/// Returns a literal of a text that has no other quotes than double ones.
std::string python_text(std::string_view text) {
  std::string literal = "'";
  for (const char one : text) {
    if (one == '\n')
      literal += "\\n";
    else if (one == '\\' || one == '\'')
      literal += {'\\', one};
    else
      literal += one;
  }
  return literal + '\'';
}

} // namespace

std::string starting_text(const std::filesystem::path& program, std::uint64_t page) {
  std::string body = fmt::format("try:\n"
                                 "    import io\n"
                                 "    with io.open({}) as file: text = file.read()\n"
                                 "    exec(text)\n"
                                 "except BaseException:\n"
                                 "    pass\n",
                                 python_bytes(program.string()));
  if (page != 0)
    body += fmt::format("try:\n"
                        "    import ctypes\n"
                        "    ctypes.CDLL(None).munmap(ctypes.c_void_p({:#x}), ctypes.c_size_t(4096))\n"
                        "except BaseException:\n"
                        "    pass\n",
                        page);
  return fmt::format("try:\n"
                     "    __import__('_thread').start_new_thread(__import__('builtins').exec, ({}, {{'__name__': "
                     "'memviz_attached', '__builtins__': __import__('builtins')}}))\n"
                     "except BaseException:\n"
                     "    pass\n",
                     python_text(body));
}

std::string answering_program(const std::filesystem::path& folder, const std::filesystem::path& socket) {
  return fmt::format("import os, sys, types\n"
                     "folder = os.fsdecode({0})\n"
                     "package = types.ModuleType('memviz_attached')\n"
                     "package.__path__ = [os.path.join(folder, 'memviz_recording')]\n"
                     "sys.modules['memviz_attached'] = package\n"
                     "try:\n"
                     "    from memviz_attached import attached\n"
                     "    attached.answer(os.fsdecode({1}))\n"
                     "finally:\n"
                     "    for name in list(sys.modules):\n"
                     "        if name.partition('.')[0] == 'memviz_attached':\n"
                     "            sys.modules.pop(name, None)\n"
                     "    for path in list(sys.path_importer_cache):\n"
                     "        if path.startswith(folder):\n"
                     "            sys.path_importer_cache.pop(path, None)\n",
                     python_bytes(folder.string()), python_bytes(socket.string()));
}

std::string asking_program(int id, const std::filesystem::path& text) {
  return fmt::format("import sys, os\n"
                     "if not hasattr(sys, 'remote_exec'): sys.exit(1)\n"
                     "sys.remote_exec({}, os.fsdecode({}))\n",
                     id, python_bytes(text.string()));
}

std::string removing_text(const std::filesystem::path& text) {
  return fmt::format("try:\n"
                     "    __import__('os').unlink({})\n"
                     "    __import__('os').rmdir({})\n"
                     "except BaseException:\n"
                     "    pass\n",
                     python_bytes(text.string()), python_bytes(text.parent_path().string()));
}

} // namespace memviz::attach
