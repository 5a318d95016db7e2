#pragma once

// The segments of a snapshot -> a panel below the graph: who keeps mostly empty ones from being given back, and the
// largest ones, each with its blocks to scale.

#include "page/page.hpp"

#include "memviz/label.hpp"
#include "memviz/pins.hpp"
#include "memviz/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz::render {

struct SegmentPanel {
  const Snapshot& snapshot;
  const Pins& pins;
  const std::vector<CodeOrigin>& origins;
  std::optional<std::uint32_t> device; ///< only this one
};

/// Who pins, then the segments that are pinned, then the largest others. Returns the height below it.
[[nodiscard]] double draw_segment_panel(Page& page, double y, const SegmentPanel& panel);

/// Segments by device, pool and stream, largest first, those that look the same in one row: the first `most_rows`.
/// Returns the height below them.
[[nodiscard]] double draw_all_segments(Page& page, double y, const SegmentPanel& panel, std::size_t most_rows);

} // namespace memviz::render
