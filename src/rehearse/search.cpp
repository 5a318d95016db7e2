#include "rehearse/search.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::rehearse {

namespace {

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

} // namespace

SearchRange parse_search(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find("..", equals == std::string::npos ? 0 : equals);
  if (equals != std::string::npos && dots != std::string::npos && is_name(std::string_view(text).substr(0, equals))) {
    const auto low = whole_number<std::uint64_t>(std::string_view(text).substr(equals + 1, dots - equals - 1));
    const auto high = whole_number<std::uint64_t>(std::string_view(text).substr(dots + 2));
    if (low && high && *low <= *high) return {text.substr(0, equals), *low, *high};
  }
  throw UsageError(
      fmt::format("--search must be a name and a range of whole numbers, as in BATCH=1..256, not '{}'", text));
}

std::pair<std::string, std::string> parse_setting(std::string_view option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !is_name(std::string_view(text).substr(0, equals)))
    throw UsageError(fmt::format("--{} must be NAME=VALUE, not '{}'", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> with_value(const std::vector<std::string>& words, const std::string& name,
                                    std::uint64_t value) {
  std::vector<std::string> result = words;
  const std::string digits = std::to_string(value);
  for (std::string& word : result) {
    replace_all(word, "{}", digits);
    replace_all(word, "{" + name + "}", digits);
  }
  return result;
}

std::vector<std::uint64_t> doublings(const SearchRange& range) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = std::max<std::uint64_t>(range.low, 1); number < range.high; number *= 2) {
    numbers.push_back(number);
    if (number > range.high / 2) break;
  }
  numbers.push_back(range.high);
  return numbers;
}

std::optional<std::uint64_t> largest_that_fits(const SearchRange& range,
                                               const std::function<bool(std::uint64_t)>& fits) {
  if (!fits(range.low)) return std::nullopt;
  if (range.low == range.high || fits(range.high)) return range.high;
  std::uint64_t low = range.low;   // fits
  std::uint64_t high = range.high; // does not
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

} // namespace memviz::rehearse
