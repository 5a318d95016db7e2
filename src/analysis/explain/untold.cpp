#include "analysis/explain/untold.hpp"

#include "analysis/explain/allocator_model.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace memviz {

PoolFinder::PoolFinder(const LeadUp& lead_up) {
  for (const MemoryMap* memory : std::initializer_list<const MemoryMap*>{&lead_up.start, &lead_up.state})
    for (const Segment& segment : memory->segments_of(lead_up.device))
      if (segment.pool.is_private())
        ranges_.push_back({segment.address, segment.address + segment.total_bytes, segment.pool});
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& left, const Range& right) { return left.begin < right.begin; });
}

PoolId PoolFinder::pool_of(const Event& event) const {
  if (event.pool) return *event.pool;
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), event.address,
                                      [](std::uint64_t address, const Range& range) { return address < range.begin; });
  if (after == ranges_.begin()) return {};
  const Range& range = *std::prev(after);
  return event.address < range.end ? range.pool : PoolId{};
}

bool gives_back(Action action) {
  return action == Action::segment_free || action == Action::segment_unmap;
}

bool is_own_release(const LeadUp& lead_up, std::size_t index) {
  const EventTable& events = lead_up.events;
  const StackId stack = events.stack(index);
  while (index < lead_up.event_count && gives_back(events.action(index)))
    ++index;
  if (index == lead_up.event_count) return false;
  const Action next = events.action(index);
  const bool is_new_memory = next == Action::segment_alloc || next == Action::segment_map || next == Action::oom;
  return events.stack(index) == stack && (is_new_memory || (next == Action::alloc && stack != kNoFrames));
}

std::vector<std::pair<std::size_t, PoolId>> pools_given_up(const LeadUp& lead_up, const PoolFinder& pools,
                                                           Bound bound) {
  std::vector<std::pair<std::size_t, PoolId>> result;
  std::map<PoolId, std::size_t> after_last_alloc;
  for (std::size_t i = 0; i < lead_up.event_count; ++i) {
    const Action action = lead_up.events.action(i);
    if (action != Action::alloc && !gives_back(action)) continue;
    const PoolId pool = pools.pool_of(lead_up.events[i]);
    if (!pool.is_private()) continue;
    if (action == Action::alloc) {
      after_last_alloc[pool] = i + 1;
    } else {
      const auto last = after_last_alloc.find(pool);
      const std::size_t first = last == after_last_alloc.end() ? 0 : last->second;
      result.emplace_back(bound == Bound::most ? first : i, pool);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

CaptureWatch::CaptureWatch(const LeadUp& lead_up, const AllocatorSettings& settings)
    : gives_back_always_(settings.max_split_bytes != kNoSplitLimit || settings.collects_garbage) {
  for (const Segment& segment : lead_up.start.segments_of(lead_up.device))
    may_be_capturing_ |= segment.pool.is_private();
}

void CaptureWatch::see(const Event& event, const PoolId& pool) {
  if (event.action == Action::alloc && pool.is_private()) may_be_capturing_ = true;
  if (gives_back(event.action) && !gives_back_always_) may_be_capturing_ = false;
}

Release release_before_failure(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings) {
  AllocatorModel model(settings);
  for (const Segment& segment : lead_up.state.segments_of(lead_up.device))
    model.adopt(segment, lead_up.state.blocks_of(segment), {segment.pool, segment.stream, is_small_segment(segment)});
  const std::uint64_t held = model.reserved_bytes();
  model.release_cached();
  if (model.reserved_bytes() < held) return Release::not_done;
  const std::size_t last = lead_up.event_count - 1; // the failure
  if (last > 0 && gives_back(lead_up.events.action(last - 1)) && is_own_release(lead_up, last - 1))
    return settings.max_split_bytes == kNoSplitLimit ? Release::done : Release::untold;
  if (request.pool.is_private()) return Release::untold; // it may be the first of its capture
  const PoolFinder pools(lead_up);
  CaptureWatch watch(lead_up, settings);
  for (std::size_t i = 0; i < lead_up.event_count; ++i)
    watch.see(lead_up.events[i], pools.pool_of(lead_up.events[i]));
  return watch.may_be_capturing() ? Release::untold : Release::done;
}

} // namespace memviz
