#pragma once

// The segments of a snapshot -> a panel below the graph: who keeps mostly empty ones from being given back, and the
// largest ones, each with its blocks to scale.

#include "page.hpp"

#include "memviz/label.hpp"
#include "memviz/pins.hpp"
#include "memviz/snapshot.hpp"

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

/// Returns the height below it.
[[nodiscard]] double draw_segment_panel(Page& page, double y, const SegmentPanel& panel);

} // namespace memviz::render
