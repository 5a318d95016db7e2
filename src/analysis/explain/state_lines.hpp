#pragma once

// Frames of a file -> names of lines, computed once for all of its devices.

#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/user_lines.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/pins.hpp"

namespace memviz {

struct StateLines {
  StateLines(const MemoryState& state) : lines(state), order(state.frames()) {}
  UserLines lines;
  FrameOrder order;
};

/// Returns find_pins() with the names.
[[nodiscard]] Pins find_pins(const MemoryState& state, StateLines& names, const PinOptions& options);

} // namespace memviz
