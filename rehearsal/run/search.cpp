#include "run/search.hpp"

#include "base/ascii.hpp"
#include "base/parts.hpp"
#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

namespace memviz::rehearse {

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

[[noreturn]] void refuse(const std::string& text) {
  throw UsageError(fmt::format("--search must be a name and a range of whole numbers, as in BATCH=1..256, or values, "
                               "as in TP=1,2,4, not '{}'",
                               text));
}

struct Range {
  std::uint64_t low;
  std::uint64_t high;
};

std::optional<Range> range_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto low = whole_number<std::uint64_t>(text.substr(0, dots));
  const auto high = whole_number<std::uint64_t>(text.substr(dots + 2));
  return low && high ? std::optional(Range{*low, *high}) : std::nullopt;
}

/// Whether one value is rather a range with a fault: 1...2, 1-256, 1:256.
bool is_like_range(std::string_view value) {
  const auto npos = std::string_view::npos;
  return value.find("..") != npos ||
         (value.find_first_not_of("0123456789-:") == npos && value.find_first_of("-:", 1) != npos);
}

} // namespace

Axis parse_search(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !is_name(std::string_view(text).substr(0, equals))) refuse(text);
  const std::string_view rest = std::string_view(text).substr(equals + 1);
  Axis axis{.kind = AxisKind::number, .name = text.substr(0, equals)};
  if (const auto range = range_of(rest)) {
    if (range->low > range->high) refuse(text);
    axis.low = range->low;
    axis.high = range->high;
    return axis;
  }
  axis.kind = AxisKind::values;
  for (const std::string_view value : parts_of(rest, ',')) {
    if (value.empty() || range_of(value)) refuse(text);
    if (std::ranges::find(axis.values, value) != axis.values.end())
      throw UsageError(fmt::format("--search: {} has the value {} twice", axis.name, value));
    axis.values.emplace_back(value);
  }
  if (axis.values.size() == 1 && is_like_range(rest)) refuse(text);
  return axis;
}

void double_numbers(Axis& axis) {
  axis.kind = AxisKind::doubled;
  for (std::uint64_t number = std::max<std::uint64_t>(axis.low, 1); number < axis.high; number *= 2) {
    axis.values.push_back(std::to_string(number));
    if (number > axis.high / 2) break;
  }
  axis.values.push_back(std::to_string(axis.high));
}

std::pair<std::string, std::string> parse_setting(std::string_view option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !is_name(std::string_view(text).substr(0, equals)))
    throw UsageError(fmt::format("--{} must be NAME=VALUE, not '{}'", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> with_values(std::vector<std::string> words, const Variables& values) {
  for (std::string& word : words)
    for (std::size_t open = word.find('{'); open != std::string::npos; open = word.find('{', open)) {
      const std::size_t close = word.find('}', open);
      if (close == std::string::npos) break;
      const auto value = std::ranges::find_if(values, [&](const auto& one) {
        return close == open + 1 || word.compare(open + 1, close - open - 1, one.first) == 0;
      });
      if (value != values.end()) word.replace(open, close - open + 1, value->second);
      open += value == values.end() ? 1 : value->second.size();
    }
  return words;
}

} // namespace memviz::rehearse
