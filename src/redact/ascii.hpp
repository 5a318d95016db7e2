/// Classes of ASCII characters, whatever the locale.
#pragma once

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

} // namespace memviz
