#pragma once

// Colours of timelines: a hue a line of code, the same in every picture, and what is around the bands.

#include "page/hues.hpp"

#include "memviz/svg.hpp"

#include <string>

namespace memviz::render {

namespace paint {
inline constexpr Paint kOtherLines{"other", "#e9e6de", "#41454d", "#2c2b28", "#d5d3cc"};
} // namespace paint

/// The rules for the above and for the lines of a chart, after those of palette_css().
[[nodiscard]] std::string timeline_css(ColorBy color);

} // namespace memviz::render
