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

std::span<const Segment> MemoryMap::segments_of(std::optional<std::uint32_t> device) const {
  if (!device) return segments;
  const auto is_before = [](const Segment& segment, std::uint32_t wanted) { return segment.device < wanted; };
  const auto is_behind = [](std::uint32_t wanted, const Segment& segment) { return wanted < segment.device; };
  const auto begin = std::lower_bound(segments.begin(), segments.end(), *device, is_before);
  return {begin, std::upper_bound(begin, segments.end(), *device, is_behind)};
}

} // namespace memviz
