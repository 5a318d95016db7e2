#pragma once

// Characters and texts -> their classes and cases in ASCII, whatever the locale.

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

/// Whether `c` is one of A to Z or a to z.
[[nodiscard]] constexpr bool is_letter(char c) {
  return is_lower(c) || is_upper(c);
}

/// Whether `c` is a letter, or a byte of a character that ASCII does not have.
[[nodiscard]] constexpr bool may_be_letter(char c) {
  return is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns a capital letter as a small one, and any other character as it is.
[[nodiscard]] constexpr char lower_case(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether the text consists of digits, at least one.
[[nodiscard]] constexpr bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

} // namespace memviz
