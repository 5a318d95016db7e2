#pragma once

// Segments at the end, and segment events -> which ranges of addresses were mapped when. Backward, because the end is
// exact: what an event mapped was not there before it.

#include "memviz/timeline.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

/// segment_alloc and segment_map (is_mapped), segment_free and segment_unmap.
struct RangeChange {
  std::uint32_t state = 0; ///< the first one after it
  bool is_mapped = false;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  StackId stack = kNoFrames;
  std::uint32_t home = 0;
};

/// Fills in `ranges`, `reserved` and `reserved_known_from` of a record that is complete except for these. `changes` are
/// those of its device, oldest first.
void rebuild_ranges(const MemoryMap& memory, const std::vector<RangeChange>& changes, DeviceRecord& record);

/// Fills in `reserved` from `ranges`.
void sum_up_ranges(DeviceRecord& record);

/// Bytes that live in each state, from 0 on: what lived before, then allocs and frees. Below 0 where frees name more
/// bytes than there were.
[[nodiscard]] std::vector<std::int64_t> live_bytes_by_state(const DeviceRecord& record);

} // namespace memviz
