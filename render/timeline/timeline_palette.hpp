#pragma once

// Colours of timelines: one hue per line of code, the same in every picture, and the colours around the bands.

#include "page/hues.hpp"

#include "memviz/svg.hpp"

#include <string>

namespace memviz::render {

namespace paint {
inline constexpr Paint kOtherLines{"other", "#e9e6de", "#41454d", "#2c2b28", "#d5d3cc"};
} // namespace paint

/// Returns the rules for the above and for the lines of a chart, to follow those of palette_css().
[[nodiscard]] std::string timeline_css(ColorBy color);

} // namespace memviz::render
