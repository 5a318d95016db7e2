#pragma once

// The effect of signals on a run. SIGINT, SIGTERM and SIGHUP remove unfinished outputs and end the started program
// before they end memviz; writing to a closed pipe or past a size limit is an error to report instead of a silent
// death; and a mapped file that another program truncates ends the run with a message.

#include <csignal>
#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memviz {

/// Called once, by main.
void install_signal_handlers();

/// Returns the signals that end a process by default and that this one has ignored since then: a program that it starts
/// would inherit that, so it gets the defaults back. Signals that were ignored before are not among them.
[[nodiscard]] std::vector<int> signals_ignored_for_itself();

/// Registers the one program that works for this one, which a signal also ends, until the next call; 0 for none.
void end_on_signal(pid_t program);

/// Sets whether the terminal shows a line that a signal has to clear.
void clear_line_on_signal(bool is_shown);

/// Blocks SIGINT, SIGTERM and SIGHUP during its lifetime, for steps that must not be interrupted.
class SignalDelay {
public:
  SignalDelay();
  SignalDelay(const SignalDelay&) = delete;
  SignalDelay& operator=(const SignalDelay&) = delete;
  ~SignalDelay();

private:
  sigset_t before_{};
};

/// During its lifetime, a signal removes the file at `path`, an unfinished output. `path` must not change meanwhile.
class RemovalOnSignal {
public:
  explicit RemovalOnSignal(const std::string& path);
  RemovalOnSignal(const RemovalOnSignal&) = delete;
  RemovalOnSignal& operator=(const RemovalOnSignal&) = delete;
  ~RemovalOnSignal();

private:
  std::size_t slot_ = 0;
};

/// During its lifetime, access to a missing byte of this mapping ends the program with a message that names the file.
/// Any other SIGBUS is a bug of memviz and is handled by the system.
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
