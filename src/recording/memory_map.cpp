#include "memviz/memory_map.hpp"

#include <algorithm>

namespace memviz {

std::string_view state_name(BlockState state) {
  switch (state) {
  case BlockState::active_allocated: return "active_allocated";
  case BlockState::active_pending_free: return "active_pending_free";
  case BlockState::inactive: break;
  }
  return "inactive";
}

std::span<const Segment> MemoryMap::segments_of(std::optional<DeviceId> device) const {
  if (!device) return segments;
  return {std::ranges::lower_bound(segments, *device, {}, &Segment::device),
          std::ranges::upper_bound(segments, *device, {}, &Segment::device)};
}

} // namespace memviz
