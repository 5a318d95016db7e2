#pragma once

// Unicode's character database -> ranges of characters. A table holds the borders, ascending: the beginning of a range
// and the character after its end, in turn.

#include <span>
#include <string_view>

namespace memviz {

/// "14.0.0"
[[nodiscard]] std::string_view unicode_version();

[[nodiscard]] std::span<const char32_t> unsafe_borders();
[[nodiscard]] std::span<const char32_t> zero_width_borders();
[[nodiscard]] std::span<const char32_t> wide_borders();

} // namespace memviz
