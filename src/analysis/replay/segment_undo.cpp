#include "analysis/replay/segment_undo.hpp"

#include "memviz/allocator_settings.hpp"

#include <algorithm>
#include <limits>

namespace memviz {

namespace {

std::uint64_t end_of(const Segment& segment) {
  return segment.address + segment.total_bytes; // the reader has checked the sum, and restore() checks its own
}

/// Adjacent mapped ranges of one reservation are one segment in a file.
bool can_join(const Segment& low, const Segment& high, bool has_pool) {
  return low.is_expandable && high.is_expandable && end_of(low) == high.address && low.stream == high.stream &&
         (!has_pool || low.pool == high.pool);
}

} // namespace

void SegmentUndo::misfit(std::uint64_t bytes) {
  ++misfits_;
  misfit_bytes_ = std::min(misfit_bytes_ + std::min(bytes, kMaxTotalBytes), kMaxTotalBytes);
}

void SegmentUndo::undo(const SegmentEvent& event, const std::vector<PoolId>& pools) {
  if (event.size_bytes == 0) return;
  const bool wraps = event.size_bytes > std::numeric_limits<std::uint64_t>::max() - event.address;
  if (wraps || event.size_bytes > kMaxTotalBytes) return misfit(event.size_bytes);
  switch (event.action) {
  case Action::segment_alloc: return remove(event);
  case Action::segment_map: return unmap(event);
  case Action::segment_free:
  case Action::segment_unmap: return restore(event, pools);
  default: return;
  }
}

void SegmentUndo::remove(const SegmentEvent& event) {
  const auto [first, last] = segments_.equal_range(event.address);
  const auto found = std::find_if(
      first, last, [&](const Map::value_type& entry) { return entry.second.segment.total_bytes == event.size_bytes; });
  if (found == last) return misfit(event.size_bytes);
  segments_.erase(found);
  spare_bytes_ += event.size_bytes;
}

void SegmentUndo::unmap(const SegmentEvent& event) {
  const std::uint64_t end = event.address + event.size_bytes;
  auto entry = segments_.upper_bound(event.address);
  if (entry == segments_.begin()) return misfit(event.size_bytes);
  --entry;
  const Segment whole = entry->second.segment;
  if (end_of(whole) < end) return misfit(event.size_bytes);
  segments_.erase(entry);
  spare_bytes_ += event.size_bytes;
  const auto keep = [&](std::uint64_t begin, std::uint64_t keep_end) {
    if (begin == keep_end) return;
    Segment rest = whole;
    rest.address = begin;
    rest.total_bytes = keep_end - begin;
    segments_.emplace(begin, PastSegment{rest, std::nullopt});
  };
  keep(whole.address, event.address);
  keep(end, end_of(whole));
}

bool SegmentUndo::is_outside(std::uint64_t address, std::uint64_t end) const {
  const auto next = segments_.lower_bound(address);
  if (next != segments_.end() && next->first < end) return false;
  return next == segments_.begin() || end_of(std::prev(next)->second.segment) <= address;
}

void SegmentUndo::restore(const SegmentEvent& event, const std::vector<PoolId>& pools) {
  const bool is_free = is_outside(event.address, event.address + event.size_bytes);
  if (!is_free || event.size_bytes > spare_bytes_) return misfit(event.size_bytes);
  spare_bytes_ -= event.size_bytes;
  Segment segment;
  segment.device = device_;
  segment.address = event.address;
  segment.total_bytes = event.size_bytes;
  segment.stream = event.stream;
  if (event.pool > 0) segment.pool = pools[event.pool - 1];
  segment.is_expandable = event.action == Action::segment_unmap;
  // All segments of host memory are small, whatever their size.
  if (!segment.is_expandable) segment.is_large = event.size_bytes > kSmallSegmentBytes && !is_host(device_);
  const auto restored = segments_.emplace(event.address, PastSegment{segment, std::nullopt});
  if (segment.is_expandable) join_neighbours(restored, event.pool > 0);
}

/// The facts about a restored range apply to its neighbours as well.
void SegmentUndo::join_neighbours(Map::iterator restored, bool has_pool) {
  const auto join = [&](Map::iterator low, Map::iterator high, const Segment& known) {
    if (!can_join(low->second.segment, high->second.segment, has_pool)) return high;
    Segment joined = known;
    joined.address = low->first;
    joined.total_bytes = low->second.segment.total_bytes + high->second.segment.total_bytes;
    low->second = {joined, std::nullopt};
    segments_.erase(high);
    return low;
  };
  if (const auto high = std::next(restored); high != segments_.end()) join(restored, high, high->second.segment);
  if (restored == segments_.begin()) return;
  const auto low = std::prev(restored);
  join(low, restored, low->second.segment);
}

std::vector<PastSegment> SegmentUndo::segments() const {
  std::vector<PastSegment> segments;
  segments.reserve(segments_.size());
  for (const auto& [address, segment] : segments_)
    segments.push_back(segment);
  return segments;
}

} // namespace memviz
