#include "io/progress_line.hpp"

#include "base/printable.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace memviz {

namespace {

std::string amount_text(const Pace& pace) {
  constexpr double kMega = 1e6;
  const auto done = static_cast<double>(pace.done_bytes);
  if (pace.total_bytes == 0) return fmt::format("{:.0f} MB", done / kMega);
  return fmt::format("{:3.0f} %", std::min(100.0, std::floor(100 * done / static_cast<double>(pace.total_bytes))));
}

/// "3 s left", "2 min left"; "" if unknown.
std::string time_left(const Pace& pace, double bytes_per_second) {
  if (pace.total_bytes == 0 || bytes_per_second <= 0) return "";
  constexpr double kMinute = 60;
  const std::uint64_t left_bytes = pace.total_bytes - std::min(pace.total_bytes, pace.done_bytes);
  const double seconds = std::ceil(static_cast<double>(left_bytes) / bytes_per_second);
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s left", seconds);
  return fmt::format("{:.0f} min left", std::ceil(seconds / kMinute));
}

std::string bar(const Pace& pace) {
  constexpr std::size_t kCells = 20;
  if (pace.total_bytes == 0) return "";
  const double share = std::min(1.0, static_cast<double>(pace.done_bytes) / static_cast<double>(pace.total_bytes));
  const auto full = static_cast<std::size_t>(share * kCells);
  return '[' + std::string(full, '#') + std::string(kCells - full, '.') + ']';
}

} // namespace

std::string progress_line(const Pace& pace, std::size_t columns) {
  constexpr std::size_t kShortestName = 12;
  if (columns < 2) return "";
  const std::size_t room = columns - 1; // a terminal may wrap the line after its last column
  const double rate = pace.seconds > 0 ? static_cast<double>(pace.done_bytes) / pace.seconds : 0;
  const std::string amount = amount_text(pace);
  // The parts of a line, and the order in which a narrow terminal drops them.
  std::array<std::string, 5> parts{std::string(pace.step), bar(pace), amount, fmt::format("{:.0f} MB/s", rate / 1e6),
                                   time_left(pace, rate)};
  constexpr std::array<std::size_t, 4> kDispensable{1, 0, 3, 4};
  const auto joined_parts = [&] {
    std::string text;
    for (const std::string& part : parts)
      if (!part.empty()) text += (text.empty() ? "" : "  ") + part;
    return text;
  };
  std::string text = joined_parts();
  for (const std::size_t part : kDispensable) {
    if (text.size() + 2 + std::min(column_count(pace.name), kShortestName) <= room) break;
    parts[part].clear();
    text = joined_parts();
  }
  if (text.size() + 2 + kShortestName > room) return text.substr(0, room);
  return elided(pace.name, room - 2 - text.size()) + "  " + text;
}

} // namespace memviz
