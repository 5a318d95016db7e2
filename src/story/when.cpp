#include "story/when.hpp"

#include "memviz/format.hpp"

#include <chrono>
#include <fmt/format.h>

namespace memviz {
namespace {

/// 2000-01-01 and 2100-01-01: a time outside is a counter, or damaged.
constexpr std::int64_t kFirstDate = 946'684'800'000'000;
constexpr std::int64_t kLastDate = 4'102'444'800'000'000;
constexpr std::int64_t kDay = 86'400'000'000;

std::string date_text(std::int64_t us) {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::microseconds>{std::chrono::microseconds{us}})};
  return fmt::format("{}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string clock_text(std::int64_t us) {
  const std::int64_t seconds = us % kDay / 1'000'000;
  return fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

} // namespace

std::string time_range_text(std::int64_t first_us, std::int64_t last_us) {
  const auto span = static_cast<std::uint64_t>(last_us) - static_cast<std::uint64_t>(first_us);
  const std::string duration = format_duration(span);
  if (first_us < kFirstDate || last_us >= kLastDate) return "recorded over " + duration;
  if (first_us / 1'000'000 == last_us / 1'000'000)
    return fmt::format("recorded {} {} UTC ({})", date_text(first_us), clock_text(first_us), duration);
  const std::string end = first_us / kDay == last_us / kDay ? "" : date_text(last_us) + " ";
  return fmt::format("recorded {} {} to {}{} UTC ({})", date_text(first_us), clock_text(first_us), end,
                     clock_text(last_us), duration);
}

} // namespace memviz
