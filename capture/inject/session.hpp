#pragma once

// One recorded process: its options, its log, and the snapshots written at exit, on a signal and when memory runs out.
// Nothing here throws or ends the program: failures are reported as one line on stderr.

#include "allocation_log.hpp"
#include "environment.hpp"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>

namespace memviz::inject {

using Options = capture::EnvironmentOptions;

/// Writes one line to stderr, "memviz_inject: MESSAGE".
void say(const std::string& message) noexcept;

/// Returns microseconds since 1970, as in PyTorch's events.
[[nodiscard]] std::int64_t now_us() noexcept;

/// Marks the thread as busy recording: driver calls by the recorder itself are not recorded.
class Busy {
public:
  Busy() noexcept;
  ~Busy();
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  /// Whether the thread was free before.
  explicit operator bool() const { return is_first_; }

private:
  bool is_first_;
};

/// Created once and never destroyed: threads may report until the very end of the process.
class Session {
public:
  explicit Session(Options options);

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] AllocationLog& log() { return log_; }

  /// Returns false in a forked child: its log is a copy of its parent's, whose lock may be held by a thread that the
  /// child does not have.
  [[nodiscard]] bool is_own_process() const;
  /// Writes a snapshot to a new file; returns its path, empty if it could not be written. Does nothing in a forked
  /// child.
  std::filesystem::path dump(const std::string& reason) noexcept;
  /// Calls dump("oom"), as often as the options allow.
  void dump_at_failure() noexcept;
  /// Calls dump("reset"), a few times: a program may reset its device in a loop.
  void dump_at_reset() noexcept;
  /// Writes snapshots from a separate thread whenever the signal of the options arrives. A program that handles the
  /// signal itself keeps its handler.
  void watch_signal();

private:
  std::filesystem::path dump_once(const std::string& reason) noexcept;

  Options options_;
  AllocationLog log_;
  const int process_;
  std::mutex dump_mutex_; ///< one snapshot at a time
  std::atomic<std::size_t> failure_dumps_ = 0;
  std::atomic<std::size_t> reset_dumps_ = 0;
};

} // namespace memviz::inject
