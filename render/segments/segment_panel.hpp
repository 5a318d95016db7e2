#pragma once

// The segments of a snapshot -> a panel below the graph: who keeps mostly empty ones from being given back, and the
// largest ones, each with its blocks to scale.

#include "page/page.hpp"

#include "memviz/label.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/pins.hpp"
#include "memviz/svg.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

struct SegmentPanel {
  const MemoryState& state;
  const SegmentDetails& details;
  const std::vector<CodeOrigin>& origins;
  std::optional<DeviceId> device; ///< only this one
};

/// Who pins, then the segments that are pinned, then the largest others. Returns the height below it.
[[nodiscard]] double draw_segment_panel(Page& page, double y, const SegmentPanel& panel);

/// "3 segments are less than half in use: 12.0 MiB of blocks keep 2.00 GiB of free memory from being given back."
[[nodiscard]] std::string pins_text(const Pins& pins);

} // namespace memviz::render
