#pragma once

// Segments at the end, and segment events -> which address ranges were mapped when. Works backward, because the end is
// exact: a range that an event mapped was absent before it.

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

/// Sets `ranges`, `reserved` and `reserved_known_from` of a record that is otherwise complete. `changes` are those of
/// its device, oldest first.
void rebuild_ranges(const MemoryMap& memory, const std::vector<RangeChange>& changes, DeviceRecord& record);

/// Sets `reserved` from `ranges`.
void sum_up_ranges(DeviceRecord& record);

/// Returns the live bytes in each state, from 0 on: the baseline, then allocs and frees. Below 0 if frees name more
/// bytes than there were.
[[nodiscard]] std::vector<std::int64_t> live_bytes_by_state(const DeviceRecord& record);

} // namespace memviz
