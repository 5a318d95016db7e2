#include "fault.hpp"

#include <csignal>
#include <unistd.h>

namespace memviz::rehearsal {
namespace {

std::uint64_t device_begin = 0;
std::uint64_t device_bytes = 0;
struct sigaction before;

void on_fault(int signal, siginfo_t* info, void* context) {
  if (reinterpret_cast<std::uint64_t>(info->si_addr) - device_begin < device_bytes) {
    constexpr char kText[] = "memviz rehearse: the program read or wrote device memory by a pointer, on the host; on a "
                             "real GPU this is a segmentation fault as well\n";
    static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
  }
  if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  // Restores the default: the instruction faults again when this returns, and the process ends as it would have.
  sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) raise(signal); // sent by a process, not by an instruction
}

} // namespace

void explain_faults(std::uint64_t begin, std::uint64_t bytes) {
  device_begin = begin;
  device_bytes = bytes;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, nullptr, &before) == 0) sigaction(SIGSEGV, &action, nullptr);
}

} // namespace memviz::rehearsal
