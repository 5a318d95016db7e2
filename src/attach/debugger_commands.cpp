#include "attach/debugger_commands.hpp"

#include <array>
#include <fmt/format.h>
#include <string>
#include <sys/syscall.h>

namespace memviz::attach {

namespace {

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

} // namespace

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

} // namespace memviz::attach
