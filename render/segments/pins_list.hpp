#pragma once

// Pins -> a list of the lines of code whose blocks keep mostly empty segments from being returned.

#include "page/frame_paints.hpp"
#include "page/ranked_list.hpp"

#include "memviz/pins.hpp"

#include <vector>

namespace memviz::render {

/// Returns the lines whose blocks pin free memory, by how much they pin.
[[nodiscard]] RankedList pins_list(const Pins& pins, const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                   const FramePaints& paints);

} // namespace memviz::render
