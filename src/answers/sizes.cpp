#include "answers/sizes.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace memviz {

namespace {

/// Takes the number at the beginning of `text` off it; plain decimals only.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const bool is_plain = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (error != std::errc() || !is_plain) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<double> unit_bytes(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1;
  constexpr std::array<char, 4> kPrefixes{'K', 'M', 'G', 'T'};
  for (std::size_t i = 0; i < kPrefixes.size(); ++i) {
    if (unit.front() != kPrefixes[i] && unit.front() != kPrefixes[i] + ('a' - 'A')) continue;
    const std::string_view rest = unit.substr(1);
    const auto power = static_cast<double>(i + 1);
    if (rest.empty() || rest == "B") return std::pow(1000, power);
    if (rest == "i" || rest == "iB") return std::pow(1024, power);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> bytes_in(std::string_view text) {
  constexpr double kTooMany = 1e18;
  const auto number = take_number(text);
  const auto unit = unit_bytes(text);
  if (!number || !unit || *number * *unit > kTooMany) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*number * *unit));
}

/// Whether a size may be meant as percent or megabytes: a small number without a unit. Bytes computed by a program are
/// large.
bool is_ambiguous(std::string_view size, std::uint64_t bytes) {
  constexpr std::uint64_t kLarge = 100'000;
  const bool has_unit = size.find_last_not_of("0123456789.") != std::string_view::npos;
  return bytes > 0 && bytes < kLarge && !has_unit;
}

} // namespace

std::uint64_t parse_bytes(std::string_view option, std::string_view text) {
  if (const auto bytes = bytes_in(text)) return *bytes;
  throw UsageError(fmt::format("--{} must be a size such as 500K, 2M or 1.5GiB, not '{}'", option, text));
}

SizeLimit parse_size_limit(std::string_view option, const std::string& word) {
  return {parse_bytes(option, word), word};
}

double parse_factor(std::string_view option, std::string_view text, double least, double most) {
  std::string_view rest = text;
  const auto factor = take_number(rest);
  if (!factor || !rest.empty() || *factor < least || *factor > most)
    throw UsageError(fmt::format("--{} must be a number from {} to {}, not '{}'", option, least, most, text));
  return *factor;
}

double parse_percent(std::string_view option, std::string_view text) {
  constexpr double kWhole = 100;
  std::string_view rest = text;
  const auto percent = take_number(rest);
  if (!percent || *percent > kWhole || !(rest.empty() || rest == "%"))
    throw UsageError(fmt::format("--{} must be a percentage from 0 to 100, not '{}'", option, text));
  return *percent;
}

std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto count = whole_number<std::uint64_t>(text);
  if (count && *count >= least && *count <= most) return *count;
  throw UsageError(fmt::format("--{} must be a number from {} to {}, not '{}'", option, least, most, text));
}

std::uint64_t parse_bytes_with_unit(std::string_view option, std::string_view text) {
  const std::uint64_t bytes = parse_bytes(option, text);
  if (is_ambiguous(text, bytes))
    throw UsageError(fmt::format("--{} needs a unit: {}B, {}KiB or {}MiB?", option, text, text, text));
  return bytes;
}

GrowthLimit parse_limit(std::string_view option, std::string_view text) {
  if (const auto bytes = bytes_in(text)) {
    if (is_ambiguous(text, *bytes))
      throw UsageError(fmt::format("--{} needs a unit: {}%, {}B or {}MiB?", option, text, text, text));
    return {false, 0, *bytes, std::string(text)};
  }
  std::string_view rest = text;
  const auto percent = take_number(rest);
  if (!percent || rest != "%")
    throw UsageError(
        fmt::format("--{} must be a size or a percentage such as 500M, 1GiB or 2%, not '{}'", option, text));
  return {true, *percent, 0, std::string(text)};
}

GateLimits parse_limits(std::string_view option, std::string_view text) {
  if (text.find('=') == std::string_view::npos) return limits_on(kUsualGauges, parse_limit(option, text));
  GateLimits limits;
  limits.given = std::string(text);
  const auto field_of = [&](std::string_view name) -> std::optional<GrowthLimit>& {
    for (const Gauge gauge : kGauges)
      if (gauge_name(gauge) == name) return limits.of(gauge);
    if (name == "line") return limits.line;
    throw UsageError(fmt::format("--{} has limits for peak, end, reserved and line, not for '{}'", option, name));
  };
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      throw UsageError(fmt::format("--{} needs a name for each limit of a list: peak=1%,line=256KiB", option));
    std::optional<GrowthLimit>& field = field_of(part.substr(0, equals));
    if (field) throw UsageError(fmt::format("--{} names '{}' twice", option, part.substr(0, equals)));
    field = parse_limit(option, part.substr(equals + 1));
    if (comma == std::string_view::npos) return limits;
    rest.remove_prefix(comma + 1);
  }
}

} // namespace memviz
