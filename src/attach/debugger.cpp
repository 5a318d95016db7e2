#include "attach/debugger.hpp"

#include "base/printable.hpp"
#include "io/output_file.hpp"
#include "io/program.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <vector>

namespace memviz::attach {

namespace {

/// A word that the commands print once the process has the text.
constexpr std::string_view kInjected = "memviz-injected";

/// PROT_READ | PROT_WRITE, and MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE of Linux: a page that is taken stays.
std::string call_of_mmap(std::uint64_t page) {
  return fmt::format(
      "((void *(*)(void *, unsigned long, int, int, int, long))mmap)((void *){:#x}, 4096, 3, 0x100022, -1, 0)", page);
}

/// A condition for gdb: the thread was interrupted while it waited in the kernel ($rax is one of the errors between 512
/// and 516, or EINTR), in a call that the C library's allocator, loader and threads do not wait in while they hold a
/// lock. A wait for a lock of the C library is a futex with another operation, and Python's wait for its own lock has a
/// time limit ($r10).
std::string waits() {
#if defined(__x86_64__)
  constexpr std::array kCalls{SYS_read,     SYS_readv,      SYS_poll,           SYS_select,    SYS_pselect6,
                              SYS_ppoll,    SYS_epoll_wait, SYS_epoll_pwait,    SYS_nanosleep, SYS_clock_nanosleep,
                              SYS_recvfrom, SYS_recvmsg,    SYS_accept,         SYS_accept4,   SYS_wait4,
                              SYS_waitid,   SYS_pause,      SYS_rt_sigtimedwait};
  std::string calls;
  for (const long call : kCalls)
    calls += fmt::format("$orig_rax == {} || ", call);
  // FUTEX_WAIT_BITSET without a time limit
  return fmt::format(
      "(((long)$rax >= -516 && (long)$rax <= -512) || (long)$rax == -4) && ({}($orig_rax == {} && ($rsi & "
      "127) == 9 && $r10 == 0))",
      calls, SYS_futex);
#else
  return "0";
#endif
}

/// Maps a page for the text, fills it, and has Python execute it. No function is called that takes memory from the C
/// library, whose lock the stopped thread may hold, unless that thread is in a call of the kernel which nothing does
/// with the lock.
std::string gdb_commands(const Injection& injection) {
  std::string commands = "set pagination off\n"
                         "set confirm off\n"
                         "set language c\n"
                         "set unwindonsignal on\n"
                         "set $mapped = 0\n"
                         "set $injected = 0\n"
                         // Signals are the program's, except those of a fault in a function that is called here.
                         "handle all nostop noprint pass\n"
                         "handle SIGINT nostop noprint pass\n"
                         "handle SIGSEGV SIGBUS SIGILL SIGFPE stop print pass\n"
                         "sharedlibrary libpython\n"
                         "sharedlibrary /libc[.]\n"
                         "sharedlibrary /ld-musl\n"
                         "backtrace 16\n";
  commands += fmt::format("set $mapped = (unsigned long){3} == {1:#x}\n"
                          "if $mapped\n"
                          "  restore {4} binary {1:#x}\n"
                          "  set $waits = {0}\n"
                          "  if $waits\n"
                          "    set $waits = ((int (*)(void))PyGILState_Check)() == 0\n"
                          "  end\n"
                          "  if $waits\n"
                          "    set $waits = ((void *(*)(void))PyGILState_GetThisThreadState)() != 0\n"
                          "  end\n"
                          "  if $waits\n"
                          "    set $state = ((int (*)(void))PyGILState_Ensure)()\n"
                          "    set $injected = ((int (*)(const char *))PyRun_SimpleString)((const char *){1:#x}) == 0\n"
                          "    call ((void (*)(int))PyGILState_Release)($state)\n"
                          "  else\n"
                          "    set $injected = ((int (*)(void *, void *))Py_AddPendingCall)((void "
                          "*)PyRun_SimpleString, (void *){1:#x}) == 0\n"
                          "  end\n"
                          "end\n"
                          "if $injected\n"
                          "  echo {2}\\n\n"
                          "end\n",
                          waits(), injection.page, kInjected, call_of_mmap(injection.page), injection.text.string());
  return commands;
}

/// Undoes them if they failed, and lets the process go on.
std::string gdb_cleanup(const Injection& injection) {
  return fmt::format("if $mapped && !$injected\n"
                     "  call ((int (*)(void *, unsigned long))munmap)((void *){:#x}, 4096)\n"
                     "end\n"
                     "detach\n",
                     injection.page);
}

std::string lldb_commands(const Injection& injection) {
  return fmt::format(
      "thread backtrace -c 16\n"
      "expression -l c -- int $queued = -1\n"
      "expression -l c -- void *$page = {3}\n"
      "memory write --infile {1} {0:#x}\n"
      "expression -l c -- unsigned long $run = (unsigned long)(int (*)(const char *))PyRun_SimpleString\n"
      "expression -l c -- $queued = $page != (void *){0:#x} ? -1 : ((int (*)(unsigned long, unsigned "
      "long))Py_AddPendingCall)($run, {0:#x})\n"
      // In two parts, because lldb shows its commands as well.
      "expression -l c -- $queued == 0 ? \"{2}\" \"{4}\" : \"\"\n",
      injection.page, injection.text.string(), kInjected.substr(0, 4), call_of_mmap(injection.page),
      kInjected.substr(4));
}

std::string lldb_cleanup(const Injection& injection) {
  return fmt::format("expression -l c -- $queued == 0 || $page != (void *){0:#x} ? 0 : ((int (*)(void *, unsigned "
                     "long))munmap)((void *){0:#x}, 4096)\n"
                     "process detach\n",
                     injection.page);
}

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

std::string function_in(std::string_view backtrace) {
  while (!backtrace.empty()) {
    const std::string_view line = backtrace.substr(0, backtrace.find('\n'));
    backtrace.remove_prefix(std::min(line.size() + 1, backtrace.size()));
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
  return function_in(said);
}

} // namespace memviz::attach
