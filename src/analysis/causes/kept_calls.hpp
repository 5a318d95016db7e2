#pragma once

// Blocks in use and the events before them -> the memory that earlier calls of one line have left, call after call.

#include "analysis/causes/live_block.hpp"
#include "memviz/events.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memviz {

/// The events of a device up to the moment, and the blocks in use there.
struct LiveHistory {
  const EventTable& events;
  std::size_t event_count = 0;
  std::span<const LiveBlock> blocks; ///< as live_blocks() returns them
};

/// Returns kept_graphs, kept_outputs and made_at_once, each of all lines together, as far as they hold memory. A call
/// of a line is a run of allocations that no other line interrupts, so calls may be fewer than the program's.
[[nodiscard]] std::vector<Cause> kept_calls(const LiveHistory& history, CallLineFinder& finder);

} // namespace memviz
