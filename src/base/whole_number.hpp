#pragma once

// "1234" -> a whole number, if the text consists of nothing else.

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace memviz {

/// Parses digits, after a '-' if `Number` has a sign; returns nullopt for everything else, and for numbers that do not
/// fit.
template <class Number> [[nodiscard]] std::optional<Number> whole_number(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

} // namespace memviz
