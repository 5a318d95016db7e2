#include "analysis/explain/cache_release.hpp"

#include "analysis/explain/allocator_model.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace memviz {

PoolFinder::PoolFinder(const LeadUp& lead_up) {
  for (const MemoryMap* memory : std::initializer_list<const MemoryMap*>{&lead_up.start, &lead_up.state})
    for (const Segment& segment : memory->segments_of(lead_up.device))
      if (segment.pool.is_private())
        ranges_.push_back({segment.address, segment.address + segment.total_bytes, segment.pool});
  std::ranges::sort(ranges_, [](const Range& left, const Range& right) { return left.begin < right.begin; });
}

PoolId PoolFinder::pool_of(const Event& event) const {
  if (event.pool) return *event.pool;
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), event.address,
                                      [](std::uint64_t address, const Range& range) { return address < range.begin; });
  if (after == ranges_.begin()) return {};
  const Range& range = *std::prev(after);
  return event.address < range.end ? range.pool : PoolId{};
}

bool releases_memory(Action action) {
  return action == Action::segment_free || action == Action::segment_unmap;
}

namespace {

bool takes_memory(Action action) {
  return action == Action::segment_alloc || action == Action::segment_map;
}

std::size_t after_release(const LeadUp& lead_up, std::size_t index) {
  while (index < lead_up.event_count && releases_memory(lead_up.events.action(index)))
    ++index;
  return index;
}

} // namespace

ReleaseCause release_cause(const LeadUp& lead_up, std::size_t index) {
  const EventTable& events = lead_up.events;
  const StackId stack = events.stack(index);
  const std::size_t next = after_release(lead_up, index);
  if (next == lead_up.event_count || events.stack(next) != stack) return ReleaseCause::program;
  const Action action = events.action(next);
  if (stack != kNoFrames)
    return takes_memory(action) || action == Action::oom || action == Action::alloc ? ReleaseCause::allocator
                                                                                    : ReleaseCause::program;
  return takes_memory(action) || action == Action::oom ? ReleaseCause::unknown : ReleaseCause::program;
}

bool had_private_pools(const LeadUp& lead_up, const std::optional<Request>& request) {
  if (request && request->pool.is_private()) return true;
  for (const MemoryMap* memory : std::initializer_list<const MemoryMap*>{&lead_up.start, &lead_up.state})
    for (const Segment& segment : memory->segments_of(lead_up.device))
      if (segment.pool.is_private()) return true;
  for (std::size_t i = 0; i < lead_up.event_count; ++i)
    if (lead_up.events[i].pool.value_or(PoolId{}).is_private()) return true;
  return false;
}

bool had_waiting_frees(const LeadUp& lead_up) {
  for (const Segment& segment : lead_up.start.segments_of(lead_up.device))
    for (const Block& block : lead_up.start.blocks_of(segment))
      if (block.state == BlockState::active_pending_free) return true;
  const EventTable& events = lead_up.events;
  for (std::size_t i = 0; i < lead_up.event_count; ++i) {
    if (events.action(i) != Action::free_requested) continue;
    const bool is_free_next = i + 1 < lead_up.event_count && events.action(i + 1) == Action::free_completed &&
                              events.address(i + 1) == events.address(i);
    if (!is_free_next) return true;
  }
  return false;
}

CacheRelease release_before_failure(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings) {
  if (!had_private_pools(lead_up, request)) return CacheRelease::done;
  AllocatorModel model(settings);
  for (const Segment& segment : lead_up.state.segments_of(lead_up.device))
    model.adopt(segment, lead_up.state.blocks_of(segment), {segment.pool, segment.stream, is_small_segment(segment)});
  const std::uint64_t held = model.reserved_bytes();
  model.release_cached();
  if (model.reserved_bytes() < held) return CacheRelease::not_done;
  const std::size_t last = lead_up.event_count - 1; // the failure
  const bool is_own_release = last > 0 && releases_memory(lead_up.events.action(last - 1)) &&
                              release_cause(lead_up, last - 1) != ReleaseCause::program;
  return is_own_release && settings.max_split_bytes == kNoSplitLimit ? CacheRelease::done : CacheRelease::unknown;
}

bool missing_is_least(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings) {
  const std::size_t last = lead_up.event_count - 1; // the failure
  return settings.max_split_bytes != kNoSplitLimit && last > 0 && releases_memory(lead_up.events.action(last - 1)) &&
         had_private_pools(lead_up, request);
}

} // namespace memviz
