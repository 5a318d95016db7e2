#include "base/time_text.hpp"

#include "base/saturating.hpp"

#include <chrono>
#include <fmt/format.h>

namespace memviz {

std::string seconds_text(std::int64_t us) {
  constexpr std::uint64_t kSecond = 1'000'000;
  const std::uint64_t size = magnitude(us);
  return fmt::format("{}{}.{:06}", us < 0 ? "-" : "", size / kSecond, size % kSecond);
}

std::string utc_time(std::int64_t us_since_1970) {
  constexpr std::int64_t kYear10000 = 253'402'300'800'000'000;
  if (us_since_1970 < 0 || us_since_1970 >= kYear10000) return fmt::format("{} us since 1970", us_since_1970);
  const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(us_since_1970)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<std::chrono::microseconds> clock{time - day};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

} // namespace memviz
