#pragma once

// Characters and texts -> their classes in ASCII, whatever the locale.

#include <algorithm>
#include <string_view>

namespace memviz {

/// Whether `c` is one of 0 to 9.
[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether `c` is one of A to Z.
[[nodiscard]] constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/// Whether `c` is one of a to z.
[[nodiscard]] constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/// Whether the text consists of digits, at least one.
[[nodiscard]] constexpr bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

} // namespace memviz
