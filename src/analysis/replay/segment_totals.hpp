#pragma once

// Adds one segment and its blocks to totals.

#include "memviz/replay.hpp"

namespace memviz {

inline void add_segment(const MemoryMap& memory, const Segment& segment, DeviceStats& stats) {
  ++stats.segments;
  stats.blocks += segment.block_count;
  stats.reserved_bytes += segment.total_bytes;
  stats.unaccounted_bytes += segment.uncovered_bytes;
  for (const Block& block : memory.blocks_of(segment)) {
    stats.requested_bytes += block.requested_bytes;
    switch (block.state) {
    case BlockState::active_allocated: stats.allocated_bytes += block.size_bytes; break;
    case BlockState::active_pending_free: stats.pending_free_bytes += block.size_bytes; break;
    case BlockState::inactive: stats.inactive_bytes += block.size_bytes; break;
    }
  }
}

} // namespace memviz
