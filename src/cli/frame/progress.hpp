#pragma once

// The progress of a long step -> one line on the terminal, rewritten in place and erased at the end. Shows nothing in
// the first second, with --quiet, or if standard error is not a terminal.

#include "io/progress_line.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::cli {

class ProgressLine {
public:
  ProgressLine(std::string name, bool is_quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// Starts a new step if `step` differs from the last one.
  void show(std::string_view step, std::uint64_t done_bytes, std::uint64_t total_bytes);

private:
  using Clock = std::chrono::steady_clock;

  void erase();

  Pace pace_;
  bool is_quiet_;
  bool is_shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point step_start_ = start_;
  Clock::time_point next_ = start_ + std::chrono::seconds(1);
};

} // namespace memviz::cli
