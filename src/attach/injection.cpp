#include "attach/injection.hpp"

#include "attach/debugger.hpp"
#include "attach/unix_address.hpp"
#include "hooks/hook_folder.hpp"
#include "io/output_file.hpp"
#include "io/own_folder.hpp"
#include "io/program.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

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

/// Starts a thread that executes `program`, if it is there, and frees the page at `page`, unless that is 0. Never
/// raises, and prints nothing.
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

/// Loads the recorder in `folder`, answers at the socket `socket`, and removes what it has loaded.
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

/// Asks Python 3.14 to execute the file `text` in the process `id`; exits with 1 in an older one.
std::string asking_program(int id, const std::filesystem::path& text) {
  return fmt::format("import sys, os\n"
                     "if not hasattr(sys, 'remote_exec'): sys.exit(1)\n"
                     "sys.remote_exec({}, os.fsdecode({}))\n",
                     id, python_bytes(text.string()));
}

/// Removes the file `text`, which it is the content of, and its folder.
std::string removing_text(const std::filesystem::path& text) {
  return fmt::format("try:\n"
                     "    __import__('os').unlink({})\n"
                     "    __import__('os').rmdir({})\n"
                     "except BaseException:\n"
                     "    pass\n",
                     python_bytes(text.string()), python_bytes(text.parent_path().string()));
}

namespace fs = std::filesystem;

constexpr const char* kSocket = "answer";
constexpr const char* kProgram = "program.py";
constexpr const char* kPage = "page";
constexpr std::size_t kPageBytes = 4096;

Descriptor listening(const fs::path& path) {
  const auto address = unix_address(path);
  if (!address)
    throw Error(fmt::format("{}: the path is too long for a socket; set TMPDIR to a shorter one", path.string()));
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.is_open() ||
      ::bind(listener.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      ::listen(listener.number(), 1) != 0)
    throw Error(fmt::format("{}: {}", path.string(), system_message(errno)));
  return listener;
}

/// Gives everything in the folder to the user of the process, if root attaches to it.
void hand_over(const fs::path& folder, const Process& process) {
  if (process.user == ::geteuid()) return;
  const auto give = [&](const fs::path& path) {
    if (::lchown(path.c_str(), process.user, process.group) != 0)
      throw Error(fmt::format("{}: {}", path.string(), system_message(errno)));
  };
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    give(entry.path());
  give(folder);
}

} // namespace

Intrusion::Intrusion(const Process& process, AttachRequest request)
    : process_(process), request_(std::move(request)), listener_(listening(folder_.path() / kSocket)),
      page_(free_page_of(process)) {
  write_texts();
  if (!try_python()) use_debugger();
}

Intrusion::~Intrusion() {
  if (accepted_.empty()) return;
  try {
    if (!is_executed_ && is_running(process_.id)) {
      write_file(accepted_.string(), removing_text(accepted_));
      return;
    }
  } catch (const Error&) {
    // Then it is removed now.
  }
  std::error_code ignored;
  fs::remove_all(accepted_.parent_path(), ignored);
}

void Intrusion::write_texts() {
  const fs::path& folder = folder_.path();
  hooks::write_hook(folder);
  write_file((folder / kProgram).string(), answering_program(folder, folder / kSocket));
  const std::string text = starting_text(folder / kProgram, page_) + '\0';
  if (text.size() > kPageBytes) throw Error(folder.string() + ": the path is too long; set TMPDIR to a shorter one");
  write_file((folder / kPage).string(), text);
  hand_over(folder, process_);
}

bool Intrusion::try_python() {
  // Root does not run a program of another user's.
  const auto interpreter = interpreter_of(process_);
  if (!interpreter || process_.user != ::geteuid()) return false;
  const fs::path folder = make_private_temporary_folder("memviz-");
  accepted_ = folder / "text.py";
  try {
    write_file(accepted_.string(), starting_text(folder_.path() / kProgram, 0));
    static_cast<void>(output_of({*interpreter, "-I", "-S", "-c", asking_program(process_.id, accepted_)}, ""));
    return true;
  } catch (const Error&) { // of an older Python, or of one that forbids it
    accepted_.clear();
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return false;
  }
}

void Intrusion::use_debugger() {
  const auto kind = debugger();
  if (!kind)
    throw Error(
        fmt::format("cannot attach to process {}: memviz does not record it, and neither gdb nor lldb is in PATH: "
                    "install gdb, or start the job with memviz run",
                    process_.id));
  function_ = inject(*kind, process_, {folder_.path() / kPage, page_}, {request_.timeout_seconds, request_.say});
}

Descriptor Intrusion::connection() {
  if (!wait_for_bytes(listener_, process_, request_.waits ? -1 : request_.timeout_seconds)) throw NoAnswer();
  Descriptor connection(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.is_open())
    throw Error(fmt::format("process {} did not connect: {}", process_.id, system_message(errno)));
  is_executed_ = true;
  return connection;
}

} // namespace memviz::attach
