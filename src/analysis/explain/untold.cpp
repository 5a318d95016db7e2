#include "analysis/explain/untold.hpp"

#include "analysis/explain/allocator_model.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace memviz {

PoolFinder::PoolFinder(const Recording& recording) {
  for (const Snapshot* state : {&recording.start, &recording.state})
    for (const Segment& segment : state->segments_of(recording.device))
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

std::size_t after_release(const Recording& recording, std::size_t index) {
  while (index < recording.event_count && gives_back(recording.events.action(index)))
    ++index;
  return index;
}

/// What is taken of the device from event `index` on, for one request.
std::uint64_t taken_bytes(const Recording& recording, std::size_t index) {
  std::uint64_t bytes = 0;
  for (; index < recording.event_count && takes_memory(recording.events.action(index)); ++index)
    bytes += std::min(recording.events.size_bytes(index), kMaxTotalBytes - bytes);
  return bytes;
}

/// Whether the private pool that gives back at event `index` does so for a request of its own: with max_split_size the
/// allocator gives back large blocks of that pool, which is in use.
bool is_for_own_pool(const Recording& recording, std::size_t index) {
  const std::size_t next = after_release(recording, index);
  if (next == recording.event_count) return false;
  const auto released = recording.events[index].pool;
  return released && released->is_private() && recording.events[next].pool == released &&
         recording.events.stack(index) == recording.events.stack(next);
}

} // namespace

std::uint64_t own_pool_release_bytes(const Recording& recording, const Request& request) {
  std::uint64_t bytes = 0;
  for (std::size_t i = recording.event_count - 1; i > 0 && gives_back(recording.events.action(i - 1)); --i)
    if (is_for_own_pool(recording, i - 1) && recording.events[i - 1].pool == request.pool)
      bytes += std::min(recording.events.size_bytes(i - 1), kMaxTotalBytes - bytes);
  return bytes;
}

Releaser releaser(const Recording& recording, std::size_t index, const Room& room) {
  const EventTable& events = recording.events;
  const StackId stack = events.stack(index);
  const std::size_t next = after_release(recording, index);
  if (next == recording.event_count || events.stack(next) != stack) return Releaser::program;
  if (is_for_own_pool(recording, index)) return Releaser::allocator;
  const Action action = events.action(next);
  if (stack != kNoFrames)
    return takes_memory(action) || action == Action::oom || action == Action::alloc ? Releaser::allocator
                                                                                    : Releaser::program;
  if (action == Action::oom) return Releaser::untold;
  if (!takes_memory(action)) return Releaser::program;
  const std::uint64_t free_bytes = room.limit_bytes - std::min(room.limit_bytes, room.reserved_bytes);
  return taken_bytes(recording, next) > free_bytes ? Releaser::untold : Releaser::program;
}

std::vector<std::pair<std::size_t, PoolId>> pools_given_up(const Recording& recording, const PoolFinder& pools,
                                                           Bound bound) {
  std::vector<std::pair<std::size_t, PoolId>> result;
  std::map<PoolId, std::size_t> after_last_alloc;
  for (std::size_t i = 0; i < recording.event_count; ++i) {
    const Action action = recording.events.action(i);
    if (action != Action::alloc && !gives_back(action)) continue;
    const PoolId pool = pools.pool_of(recording.events[i]);
    if (!pool.is_private()) continue;
    if (action == Action::alloc) {
      after_last_alloc[pool] = i + 1;
    } else if (!is_for_own_pool(recording, i)) {
      const auto last = after_last_alloc.find(pool);
      const std::size_t first = last == after_last_alloc.end() ? 0 : last->second;
      result.emplace_back(bound == Bound::most ? first : i, pool);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

CaptureWatch::CaptureWatch(const Recording& recording, const AllocatorSettings& settings)
    : gives_back_always_(settings.max_split_bytes != kNoSplitLimit || settings.collects_garbage) {
  for (const Segment& segment : recording.start.segments_of(recording.device))
    may_be_capturing_ |= segment.pool.is_private();
}

void CaptureWatch::see(const Event& event, const PoolId& pool) {
  if (event.action == Action::alloc && pool.is_private()) may_be_capturing_ = true;
  if (gives_back(event.action) && !gives_back_always_) may_be_capturing_ = false;
}

namespace {

bool may_be_capturing(const Recording& recording, const Request& request, const AllocatorSettings& settings) {
  if (request.pool.is_private()) return true; // it may be the first of its capture
  const PoolFinder pools(recording);
  CaptureWatch watch(recording, settings);
  for (std::size_t i = 0; i < recording.event_count; ++i)
    watch.see(recording.events[i], pools.pool_of(recording.events[i]));
  return watch.may_be_capturing();
}

} // namespace

Release release_before_failure(const Recording& recording, const Request& request, const AllocatorSettings& settings) {
  AllocatorModel model(settings);
  for (const Segment& segment : recording.state.segments_of(recording.device))
    model.adopt(segment, recording.state.blocks_of(segment), {segment.pool, segment.stream, is_small_segment(segment)});
  const std::uint64_t held = model.reserved_bytes();
  model.release_cached();
  if (model.reserved_bytes() < held) return Release::not_done;
  const std::size_t last = recording.event_count - 1; // the failure
  if (last > 0 && gives_back(recording.events.action(last - 1)) &&
      releaser(recording, last - 1, {}) != Releaser::program)
    return settings.max_split_bytes == kNoSplitLimit ? Release::done : Release::untold;
  return may_be_capturing(recording, request, settings) ? Release::untold : Release::done;
}

bool missing_is_least(const Recording& recording, const Request& request, const AllocatorSettings& settings) {
  const std::size_t last = recording.event_count - 1; // the failure
  return settings.max_split_bytes != kNoSplitLimit && last > 0 && gives_back(recording.events.action(last - 1)) &&
         may_be_capturing(recording, request, settings);
}

} // namespace memviz
