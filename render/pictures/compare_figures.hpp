#pragma once

// A comparison -> its figures: peak, end and reserved bytes of each device over the whole recordings, and the totals of
// what is drawn.

#include "page/page.hpp"

#include "memviz/compare.hpp"

namespace memviz::render {

/// Draws the gauges of the devices that changed most.
[[nodiscard]] double draw_gauges(Page& page, double y, const Comparison& comparison);

/// Draws the compared moment: all devices together if they are at one moment, else the bars of each.
[[nodiscard]] double draw_totals(Page& page, double y, const Comparison& comparison);

} // namespace memviz::render
