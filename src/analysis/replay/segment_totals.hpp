#pragma once

// Segments and their blocks -> totals.

#include "memviz/device_id.hpp"
#include "memviz/device_state.hpp"
#include "memviz/memory_map.hpp"

namespace memviz {

inline void add_segment(const MemoryMap& memory, const Segment& segment, MemoryTotals& totals) {
  ++totals.segments;
  totals.blocks += segment.block_count;
  totals.reserved_bytes += segment.total_bytes;
  totals.unaccounted_bytes += segment.uncovered_bytes;
  for (const Block& block : memory.blocks_of(segment)) {
    totals.requested_bytes += block.requested_bytes;
    switch (block.state) {
    case BlockState::active_allocated: totals.allocated_bytes += block.size_bytes; break;
    case BlockState::active_pending_free: totals.pending_free_bytes += block.size_bytes; break;
    case BlockState::inactive: totals.inactive_bytes += block.size_bytes; break;
    }
  }
}

/// Sums the segments of one device; memory outside segments is 0.
[[nodiscard]] inline MemoryTotals totals_of(const MemoryMap& memory, DeviceId device) {
  MemoryTotals totals;
  for (const Segment& segment : memory.segments_of(device))
    add_segment(memory, segment, totals);
  return totals;
}

} // namespace memviz
