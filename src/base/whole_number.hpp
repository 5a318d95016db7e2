#pragma once

// "1234" -> a whole number: the whole text, or none of it.

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace memviz {

/// Digits, with a '-' before them where `Number` has a sign; nullopt for everything else, and for what does not fit.
template <class Number> [[nodiscard]] std::optional<Number> whole_number(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

} // namespace memviz
