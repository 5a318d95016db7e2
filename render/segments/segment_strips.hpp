#pragma once

// The segments of two snapshots -> two strips on one scale, in address order, and lists of those that only one side
// has.

#include "page/page.hpp"

#include "memviz/compare.hpp"

namespace memviz::render {

/// Draws heading, strips and lists at `y`; returns the height below.
[[nodiscard]] double draw_segments(Page& page, double y, const Comparison& comparison);

/// Writes the complete lists, as JSON in <metadata>: {"only_before": [{"address", "bytes", "device", "stream"}, ...],
/// ...}.
void write_segment_metadata(Page& page, const Comparison& comparison);

} // namespace memviz::render
