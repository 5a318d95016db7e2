#pragma once

// Text -> columns of a monospace font, whatever font a viewer falls back to, and text cut to so many of them: widths
// are estimated from above. A terminal counts otherwise: characters.hpp.

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// 1 for Latin, Greek and Cyrillic, 2 for what may come from a wider fallback font (East Asian, symbols), more for the
/// few ligature-like characters that are wider still.
[[nodiscard]] std::size_t font_columns(char32_t point);
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// `text` where it takes at most `columns`, else its beginning and "…"; empty where not even three columns are there.
[[nodiscard]] std::string cut_end(std::string_view text, std::size_t columns);
/// Like cut_end, but keeps the end: what matters of a long path or a qualified name.
[[nodiscard]] std::string cut_start(std::string_view text, std::size_t columns);
/// A qualified C++ name loses its outer parts, "…Node::apply"; what still does not fit is cut at its end,
/// a segment's address at its beginning.
[[nodiscard]] std::string cut_name(std::string_view name, std::size_t columns);

} // namespace memviz
