#include "io/signals.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace memviz {

namespace {

// A handler may touch nothing but such plain memory and call nothing but what POSIX lists as async-signal-safe.
std::array<char, 4096> unfinished_output{};
volatile std::sig_atomic_t has_unfinished_output = 0;

void remove_unfinished_output() {
  if (has_unfinished_output != 0) ::unlink(unfinished_output.data());
}

extern "C" void end_by_signal(int number) {
  remove_unfinished_output();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// A mapped file that another program shortens ends in SIGBUS.
extern "C" void end_by_lost_mapping(int) {
  constexpr std::string_view kMessage = "memviz: the input changed or could not be read while it was in use\n";
  remove_unfinished_output();
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  ::_exit(1);
}

} // namespace

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, end_by_lost_mapping);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup and shells start programs with some of them ignored, and they stay so.
    if (std::signal(number, end_by_signal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

void remove_on_signal(const std::string& path) {
  has_unfinished_output = 0;
  if (path.empty() || path.size() >= unfinished_output.size()) return;
  std::memcpy(unfinished_output.data(), path.c_str(), path.size() + 1);
  has_unfinished_output = 1;
}

} // namespace memviz
