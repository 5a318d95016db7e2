#pragma once

// Pins -> a sentence, and a list of the lines of code whose blocks keep mostly empty segments from being returned.

#include "page/frame_paints.hpp"
#include "page/ranked_list.hpp"

#include "memviz/pins.hpp"

#include <string>
#include <vector>

namespace memviz::render {

/// "3 segments are less than half in use: 12.0 MiB of blocks keep 2.00 GiB of free memory from being given back."
[[nodiscard]] std::string pins_text(const Pins& pins);

/// Returns the lines whose blocks pin free memory, by how much they pin.
[[nodiscard]] RankedList pins_list(const Pins& pins, const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                   const FramePaints& paints);

} // namespace memviz::render
