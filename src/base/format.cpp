#include "memviz/format.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace memviz {

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return format_count(bytes) + " B";
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  // 1023.5 would print as 1024: that belongs to the next unit.
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (value >= 999.5)
    return fmt::format("{} {}", format_count(static_cast<std::uint64_t>(std::llround(value))), kUnits[unit]);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string format_exact_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return format_bytes(bytes);
  return fmt::format("{} ({} bytes)", format_bytes(bytes), format_count(bytes));
}

std::string format_flops(std::uint64_t flops) {
  static constexpr std::array<std::string_view, 7> kUnits{"", "k", "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  auto value = static_cast<double>(flops);
  // 999.5 would print as 1000: that belongs to the next unit.
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} FLOP", flops);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}FLOP", value, decimals, kUnits[unit]);
}

std::string format_exact_flops(std::uint64_t flops) {
  if (flops < 1000) return format_flops(flops);
  return fmt::format("{} ({})", format_flops(flops), format_count(flops));
}

std::string format_delta(std::int64_t bytes) {
  if (bytes == 0) return "0 B";
  return (bytes < 0 ? "-" : "+") + format_bytes(magnitude(bytes));
}

std::string delta_text(std::int64_t bytes) {
  const std::string text = format_delta(bytes);
  return bytes < 0 ? fmt::format("−{}", text.substr(1)) : text;
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::string format_counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (plural.empty()) return fmt::format("{} {}s", format_count(count), noun);
  return fmt::format("{} {}", format_count(count), plural);
}

std::string format_percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  if (part == 0) return "0 %";
  if (part == whole) return "100 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.1) return "< 0.1 %";
  if (part < whole && percent > 99.9) return "> 99.9 %";
  return fmt::format("{:.1f} %", percent);
}

std::string format_change(std::uint64_t change, std::uint64_t before, std::string_view former) {
  constexpr double kMostPercent = 1000;
  const double share = before == 0 ? 0 : static_cast<double>(change) / static_cast<double>(before);
  if (100 * share < kMostPercent) {
    // A change is no part of a whole: nearly 100 % is nothing special.
    const std::string text =
        share > 0.999 && share < 1 ? fmt::format("{:.1f} %", 100 * share) : format_percent(change, before);
    return former.empty() ? text : fmt::format("{} of {}", text, former);
  }
  const double times = 1 + share;
  const std::string count =
      times < 99.95 ? fmt::format("{:.1f}", times) : format_count(static_cast<std::uint64_t>(std::llround(times)));
  return fmt::format("{} x{}{}", count, former.empty() ? "" : " ", former);
}

bool is_unit(std::string_view word) {
  word = word.substr(0, word.find_first_of(".,;:)"));
  return word == "%" || word == "x" || word == "B" || (word.size() == 3 && word.ends_with("iB"));
}

std::string format_duration(std::uint64_t us) {
  constexpr std::uint64_t kSecond = 1'000'000;
  constexpr std::uint64_t kMinute = 60 * kSecond;
  constexpr std::uint64_t kHour = 60 * kMinute;
  constexpr std::uint64_t kDay = 24 * kHour;
  const auto scaled = [&](std::uint64_t unit_us, std::string_view unit) {
    const double value = static_cast<double>(us) / static_cast<double>(unit_us);
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, unit);
  };
  if (us < 1000) return fmt::format("{} us", us);
  if (us < kSecond - 500) return scaled(1000, "ms");
  if (us < kMinute - kSecond / 2) return scaled(kSecond, "s");
  us = std::max(us, kMinute); // 59.5 s and more
  if (us < kHour) return fmt::format("{} min {} s", us / kMinute, us % kMinute / kSecond);
  if (us < kDay) return fmt::format("{} h {} min", us / kHour, us % kHour / kMinute);
  return fmt::format("{} d {} h", format_count(us / kDay), us % kDay / kHour);
}

std::string format_address(std::uint64_t address) {
  return fmt::format("{:#x}", address);
}

} // namespace memviz
