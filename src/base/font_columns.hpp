#pragma once

// Text -> columns of a monospace font, whatever font a viewer falls back to, and text cut to a number of them: widths
// are upper bounds. Terminals count differently: characters.hpp.

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// 1 for Latin, Greek and Cyrillic, 2 for characters that may come from a wider fallback font (East Asian, symbols),
/// more for the few ligature-like characters that are even wider.
[[nodiscard]] std::size_t font_columns(char32_t point);
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Returns `text` if it takes at most `columns`, else its beginning and "…"; empty for fewer than three columns.
[[nodiscard]] std::string cut_end(std::string_view text, std::size_t columns);
/// Like cut_end, but keeps the end, which is the important part of a long path or a qualified name.
[[nodiscard]] std::string cut_start(std::string_view text, std::size_t columns);
/// Removes the outer parts of a qualified C++ name, "…Node::apply"; if it is still too long, cuts its end, or for a
/// segment the beginning of its address.
[[nodiscard]] std::string cut_name(std::string_view name, std::size_t columns);

} // namespace memviz
