#include "cli/frame/progress.hpp"

#include "cli/frame/messages.hpp"
#include "io/signals.hpp"
#include "io/terminal.hpp"

#include <utility>

namespace memviz::cli {

namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

} // namespace

ProgressLine::ProgressLine(std::string name, bool is_quiet) : pace_{.name = std::move(name)}, is_quiet_(is_quiet) {
}

ProgressLine::~ProgressLine() {
  erase();
}

void ProgressLine::show(std::string_view step, std::uint64_t done_bytes, std::uint64_t total_bytes) {
  constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);
  if (is_quiet_) return;
  const auto now = Clock::now();
  if (step != pace_.step) step_start_ = now;
  pace_.step = step;
  if (now < next_) return;
  next_ = now + kBetweenDrawings;
  const auto columns = error_terminal_columns();
  if (!columns) {
    erase();
    return;
  }
  pace_.done_bytes = done_bytes;
  pace_.total_bytes = total_bytes;
  pace_.seconds = std::chrono::duration<double>(now - step_start_).count();
  is_shown_ = true;
  clear_line_on_signal(true);
  say(std::string(kEraseLine) + progress_line(pace_, *columns));
}

void ProgressLine::erase() {
  if (!std::exchange(is_shown_, false)) return;
  say(kEraseLine);
  clear_line_on_signal(false);
}

} // namespace memviz::cli
