#pragma once

// The effect of signals on a run: SIGINT, SIGTERM and SIGHUP remove the unfinished outputs, and end the program that
// was started, before they end the program; writing to a closed pipe or past a size limit is an error to report instead
// of a silent death; and a mapped file that another program shortens ends the run with a message.

#include <csignal>
#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memviz {

/// Called once, by main.
void install_signal_handlers();

/// Returns the signals that end a process which does nothing about them, and that this one ignores since then: a
/// program that it starts would inherit that, and gets the defaults back. What was ignored before stays so.
[[nodiscard]] std::vector<int> signals_ignored_for_itself();

/// The one program that works for this one, which a signal ends, too, until the next call; 0 for none.
void end_on_signal(pid_t program);

/// Whether the terminal shows a line that a signal has to clear.
void clear_line_on_signal(bool is_shown);

/// Holds SIGINT, SIGTERM and SIGHUP back while it lives, for steps that must not be torn apart.
class SignalDelay {
public:
  SignalDelay();
  SignalDelay(const SignalDelay&) = delete;
  SignalDelay& operator=(const SignalDelay&) = delete;
  ~SignalDelay();

private:
  sigset_t before_{};
};

/// While it lives, a signal removes the file at `path`, an unfinished output, which must stay as it is.
class RemovalOnSignal {
public:
  explicit RemovalOnSignal(const std::string& path);
  RemovalOnSignal(const RemovalOnSignal&) = delete;
  RemovalOnSignal& operator=(const RemovalOnSignal&) = delete;
  ~RemovalOnSignal();

private:
  std::size_t slot_ = 0;
};

/// While it lives, a byte of this mapping that is gone ends the program with a message that names the file. Any other
/// SIGBUS is a bug of memviz and ends it as the system likes.
class LostMappingNotice {
public:
  LostMappingNotice(const void* start, std::size_t bytes, const std::string& file);
  LostMappingNotice(const LostMappingNotice&) = delete;
  LostMappingNotice& operator=(const LostMappingNotice&) = delete;
  ~LostMappingNotice();

private:
  std::string message_;
  std::size_t slot_ = 0;
};

} // namespace memviz
