#include "attach/debugger.hpp"

#include "attach/debugger_commands.hpp"
#include "base/printable.hpp"
#include "io/output_file.hpp"
#include "io/program.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace memviz::attach {

namespace {

std::vector<std::string> words_for_gdb(const Process& process, const std::string& commands,
                                       const std::string& cleanup) {
  // No file of the user's or the program's is executed, and no symbols are read but those that are named.
  return {"gdb",  "-batch",
          "-nx",  "-nw",
          "-iex", "set auto-load no",
          "-iex", "set auto-solib-add off",
          "-iex", "set debuginfod enabled off",
          "-p",   std::to_string(process.id),
          "-x",   commands,
          "-x",   cleanup};
}

std::vector<std::string> words_for_lldb(const Process& process, const std::string& commands,
                                        const std::string& cleanup) {
  // It leaves a folder among temporary files: in ours, which goes with all that is in it.
  return {"/usr/bin/env",
          "TMPDIR=" + std::filesystem::path(commands).parent_path().string(),
          "lldb",
          "--batch",
          "--no-lldbinit",
          "-O",
          "settings set target.preload-symbols false",
          "-p",
          std::to_string(process.id),
          "-s",
          commands,
          "-s",
          cleanup};
}

/// Returns the first function with a name in a backtrace: "#1  0x00007f in clock_nanosleep () from ...", or
/// "frame #1: 0x00007f libc.so.6`clock_nanosleep + 35".
std::string function_of(std::string_view said) {
  while (!said.empty()) {
    const std::string_view line = said.substr(0, said.find('\n'));
    said.remove_prefix(std::min(line.size() + 1, said.size()));
    if (line.find('#') > 10) continue;
    for (const std::string_view before : {" in ", "`"}) {
      const std::size_t at = line.find(before);
      if (at == std::string_view::npos) continue;
      std::string_view name = line.substr(at + before.size());
      name = name.substr(0, name.find_first_of(" (+"));
      if (!name.empty() && name != "??") return printable(name);
    }
  }
  return "";
}

/// Returns why the debugger failed, from what it said.
std::string failure_of(std::string_view said) {
  if (said.find("ptrace: ") != std::string_view::npos || said.find("attach failed") != std::string_view::npos)
    return "the system does not let a debugger attach to it (a container needs the capability SYS_PTRACE): start the "
           "job with memviz run, which needs no debugger";
  if (said.find("No symbol \"Py") != std::string_view::npos ||
      said.find("undeclared identifier 'Py") != std::string_view::npos)
    return "the debugger finds no functions of Python in it: its interpreter has no symbols";
  // gdb and lldb begin with a capital or with "error:".
  const std::size_t error = std::min(said.find("No symbol"), said.find("rror:"));
  std::string_view line = error == std::string_view::npos ? said : said.substr(said.rfind('\n', error) + 1);
  line = line.substr(0, line.find('\n'));
  return fmt::format("the debugger said: {}", line.empty() ? "nothing" : printable(line));
}

} // namespace

std::optional<DebuggerKind> debugger() {
  if (has_program("gdb")) return DebuggerKind::gdb;
  if (has_program("lldb")) return DebuggerKind::lldb;
  return std::nullopt;
}

std::string inject(DebuggerKind kind, const Process& process, const Injection& injection, const Notice& notice) {
  const bool is_gdb = kind == DebuggerKind::gdb;
  const std::string commands = injection.text.parent_path() / "commands";
  const std::string cleanup = injection.text.parent_path() / "cleanup";
  write_file(commands, is_gdb ? gdb_commands(injection) : lldb_commands(injection));
  write_file(cleanup, is_gdb ? gdb_cleanup(injection) : lldb_cleanup(injection));
  const auto words = is_gdb ? words_for_gdb(process, commands, cleanup) : words_for_lldb(process, commands, cleanup);
  const std::string said = output_apart(words, notice.seconds, [&] {
    notice.say(
        fmt::format("waiting for another thread of process {} to let go of Python's lock; the debugger must not be "
                    "interrupted now",
                    process.id));
  });
  if (said.find(kInjected) == std::string::npos)
    throw Error(fmt::format("cannot attach to process {}: {}", process.id, failure_of(said)));
  return function_of(said);
}

} // namespace memviz::attach
