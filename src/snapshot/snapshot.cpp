#include "memviz/snapshot.hpp"

#include <algorithm>
#include <set>

namespace memviz {

std::string_view state_name(BlockState state) {
  switch (state) {
  case BlockState::active_allocated: return "active_allocated";
  case BlockState::active_pending_free: return "active_pending_free";
  case BlockState::inactive: break;
  }
  return "inactive";
}

std::span<const Segment> Snapshot::segments_of(std::optional<std::uint32_t> device) const {
  if (!device) return segments;
  const auto is_before = [](const Segment& segment, std::uint32_t wanted) { return segment.device < wanted; };
  const auto is_behind = [](std::uint32_t wanted, const Segment& segment) { return wanted < segment.device; };
  const auto begin = std::lower_bound(segments.begin(), segments.end(), *device, is_before);
  return {begin, std::upper_bound(begin, segments.end(), *device, is_behind)};
}

std::vector<std::uint32_t> Snapshot::devices() const {
  std::set<std::uint32_t> found;
  for (const Segment& segment : segments)
    found.insert(segment.device);
  for (std::size_t device = 0; device < event_counts.size(); ++device) {
    if (event_counts[device] > 0) found.insert(static_cast<std::uint32_t>(device));
  }
  return {found.begin(), found.end()};
}

} // namespace memviz
