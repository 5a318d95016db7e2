#pragma once

// A text and a list of prefixes or suffixes -> whether it has one of them.

#include <algorithm>
#include <span>
#include <string_view>

namespace memviz {

[[nodiscard]] inline bool starts_with_any(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

[[nodiscard]] inline bool ends_with_any(std::string_view text, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return text.ends_with(end); });
}

} // namespace memviz
