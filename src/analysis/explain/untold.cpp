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

namespace {

bool takes_memory(Action action) {
  return action == Action::segment_alloc || action == Action::segment_map;
}

std::size_t after_release(const LeadUp& lead_up, std::size_t index) {
  while (index < lead_up.event_count && gives_back(lead_up.events.action(index)))
    ++index;
  return index;
}

/// What is taken of the device from event `index` on, for one request.
std::uint64_t taken_bytes(const LeadUp& lead_up, std::size_t index) {
  std::uint64_t bytes = 0;
  for (; index < lead_up.event_count && takes_memory(lead_up.events.action(index)); ++index)
    bytes += std::min(lead_up.events.size_bytes(index), kMaxTotalBytes - bytes);
  return bytes;
}

/// Whether the private pool that gives back at event `index` does so for a request of its own: with max_split_size the
/// allocator gives back large blocks of that pool, which is in use.
bool is_for_own_pool(const LeadUp& lead_up, std::size_t index) {
  const std::size_t next = after_release(lead_up, index);
  if (next == lead_up.event_count) return false;
  const auto released = lead_up.events[index].pool;
  return released && released->is_private() && lead_up.events[next].pool == released &&
         lead_up.events.stack(index) == lead_up.events.stack(next);
}

} // namespace

std::uint64_t own_pool_release_bytes(const LeadUp& lead_up, const Request& request) {
  std::uint64_t bytes = 0;
  for (std::size_t i = lead_up.event_count - 1; i > 0 && gives_back(lead_up.events.action(i - 1)); --i)
    if (is_for_own_pool(lead_up, i - 1) && lead_up.events[i - 1].pool == request.pool)
      bytes += std::min(lead_up.events.size_bytes(i - 1), kMaxTotalBytes - bytes);
  return bytes;
}

Releaser releaser(const LeadUp& lead_up, std::size_t index, const Room& room) {
  const EventTable& events = lead_up.events;
  const StackId stack = events.stack(index);
  const std::size_t next = after_release(lead_up, index);
  if (next == lead_up.event_count || events.stack(next) != stack) return Releaser::program;
  if (is_for_own_pool(lead_up, index)) return Releaser::allocator;
  const Action action = events.action(next);
  if (stack != kNoFrames)
    return takes_memory(action) || action == Action::oom || action == Action::alloc ? Releaser::allocator
                                                                                    : Releaser::program;
  if (action == Action::oom) return Releaser::untold;
  if (!takes_memory(action)) return Releaser::program;
  const std::uint64_t free_bytes = room.limit_bytes - std::min(room.limit_bytes, room.reserved_bytes);
  return taken_bytes(lead_up, next) > free_bytes ? Releaser::untold : Releaser::program;
}

std::vector<std::pair<std::size_t, PoolId>> pools_given_up(const LeadUp& lead_up, const PoolFinder& pools,
                                                           const std::map<PoolId, std::size_t>& in_use_until,
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
    } else if (!is_for_own_pool(lead_up, i)) {
      const auto last = after_last_alloc.find(pool);
      const std::size_t first = last == after_last_alloc.end() ? 0 : last->second;
      result.emplace_back(bound == Bound::most ? first : i, pool);
    }
  }
  if (bound == Bound::most)
    for (const auto& [pool, event] : in_use_until)
      if (event < lead_up.event_count) result.emplace_back(event, pool);
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

std::vector<std::pair<std::size_t, std::uint64_t>>
frees_held_by_capture(const LeadUp& lead_up, const std::optional<Request>& request, const AllocatorSettings& settings) {
  std::vector<std::pair<std::size_t, std::uint64_t>> held;
  std::map<std::uint64_t, std::size_t> waiting;
  const auto hold_all = [&] {
    for (const auto& [address, event] : waiting)
      held.emplace_back(event, address);
    waiting.clear();
  };
  for (const Segment& segment : lead_up.start.segments_of(lead_up.device))
    for (const Block& block : lead_up.start.blocks_of(segment))
      if (block.state == BlockState::active_pending_free) waiting.emplace(block.address, 0);
  const PoolFinder pools(lead_up);
  CaptureWatch watch(lead_up, settings);
  for (std::size_t i = 0; i < lead_up.event_count; ++i) {
    const Event event = lead_up.events[i];
    watch.see(event, pools.pool_of(event));
    const bool is_free_next = i + 1 < lead_up.event_count && lead_up.events.action(i + 1) == Action::free_completed &&
                              lead_up.events.address(i + 1) == event.address;
    if (event.action == Action::free_requested && !is_free_next) waiting[event.address] = i;
    if (event.action == Action::free_completed) waiting.erase(event.address);
    if (watch.may_be_capturing()) hold_all();
  }
  if (request && request->pool.is_private()) hold_all(); // it may be the first of its capture
  std::sort(held.begin(), held.end());
  return held;
}

namespace {

bool may_be_capturing(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings) {
  if (request.pool.is_private()) return true; // it may be the first of its capture
  const PoolFinder pools(lead_up);
  CaptureWatch watch(lead_up, settings);
  for (std::size_t i = 0; i < lead_up.event_count; ++i)
    watch.see(lead_up.events[i], pools.pool_of(lead_up.events[i]));
  return watch.may_be_capturing();
}

} // namespace

Release release_before_failure(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings) {
  AllocatorModel model(settings);
  for (const Segment& segment : lead_up.state.segments_of(lead_up.device))
    model.adopt(segment, lead_up.state.blocks_of(segment), {segment.pool, segment.stream, is_small_segment(segment)});
  const std::uint64_t held = model.reserved_bytes();
  model.release_cached();
  if (model.reserved_bytes() < held) return Release::not_done;
  const std::size_t last = lead_up.event_count - 1; // the failure
  if (last > 0 && gives_back(lead_up.events.action(last - 1)) && releaser(lead_up, last - 1, {}) != Releaser::program)
    return settings.max_split_bytes == kNoSplitLimit ? Release::done : Release::untold;
  return may_be_capturing(lead_up, request, settings) ? Release::untold : Release::done;
}

bool missing_is_least(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings) {
  const std::size_t last = lead_up.event_count - 1; // the failure
  return settings.max_split_bytes != kNoSplitLimit && last > 0 && gives_back(lead_up.events.action(last - 1)) &&
         may_be_capturing(lead_up, request, settings);
}

} // namespace memviz
