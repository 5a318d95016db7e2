#include "analysis/replay/event_pools.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <numeric>

namespace memviz {

namespace {

bool is_about_memory(Action action) {
  return action != Action::oom && action != Action::snapshot && action != Action::other;
}

/// Returns the first range from `at` on that is not marked yet; shortens paths on the way.
std::size_t next_unmarked(std::vector<std::size_t>& next, std::size_t at) {
  while (next[at] != at) {
    next[at] = next[next[at]];
    at = next[at];
  }
  return at;
}

} // namespace

EventPools::EventPools(const MemoryMap& memory, DeviceId device, const TraceSurvey::Device& survey) {
  for (const Segment& segment : memory.segments_of(device)) {
    if (!ranges_.empty() && segment.address < ranges_.back().end) continue;
    ranges_.push_back({segment.address, saturating_sum(segment.address, segment.total_bytes), 0, segment.pool});
  }
  // Only the last change of a range counts, so each is marked once, from the last change back.
  std::vector<std::size_t> next(ranges_.size() + 1);
  std::iota(next.begin(), next.end(), std::size_t{0});
  for (auto change = survey.segment_changes.rbegin(); change != survey.segment_changes.rend(); ++change) {
    std::size_t at = next_unmarked(next, first_ending_after(change->address));
    for (; at < ranges_.size() && ranges_[at].begin < change->end; at = next_unmarked(next, at)) {
      ranges_[at].known_from = change->event;
      next[at] = at + 1;
    }
  }
}

std::size_t EventPools::first_ending_after(std::uint64_t address) const {
  const auto range =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](std::uint64_t value, const Range& candidate) { return value < candidate.end; });
  return static_cast<std::size_t>(range - ranges_.begin());
}

std::optional<PoolId> EventPools::pool(std::uint64_t index, const Event& event) const {
  if (event.pool) return event.pool;
  if (!is_about_memory(event.action)) return std::nullopt;
  const std::size_t at = first_ending_after(event.address);
  if (at == ranges_.size() || event.address < ranges_[at].begin || index < ranges_[at].known_from) return std::nullopt;
  return ranges_[at].pool;
}

} // namespace memviz
