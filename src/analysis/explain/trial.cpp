#include "analysis/explain/trial.hpp"

#include "analysis/explain/unmapped_pages.hpp"

#include <algorithm>
#include <iterator>

namespace memviz {

namespace {

std::uint64_t limit_bytes(const MemoryMap& state, DeviceId device, const Request& request) {
  std::uint64_t bytes = request.device_free_bytes.value_or(0);
  for (const Segment& segment : state.segments_of(device))
    bytes += segment.total_bytes;
  return bytes;
}

UnmappedPages unmapped_pages(const MemoryState& state, DeviceId device, const Request& request) {
  const EventTable& events = state.recording->events_of(device);
  return {events, events.empty() || request.event.is_none() ? 0 : static_cast<std::size_t>(request.event.value())};
}

} // namespace

Trial::Trial(const MemoryState& state, DeviceId device, const Request& request, const AllocatorSettings& settings,
             bool releases_cache)
    : request_(request), model_(settings, limit_bytes(state, device, request)) {
  model_.release_cache_before_failing(releases_cache);
  const UnmappedPages unmapped = unmapped_pages(state, device, request);
  for (const Segment& segment : state.segments_of(device)) {
    segments_.push_back({segment.first_block, model_.adopt(segment, state.blocks_of(segment),
                                                           {segment.pool, segment.stream, is_small_segment(segment)},
                                                           unmapped.bytes_before(segment.address))});
  }
  std::ranges::sort(segments_,
                    [](const Adopted& left, const Adopted& right) { return left.first_block < right.first_block; });
}

bool Trial::fits_without(std::span<const std::uint32_t> blocks) const {
  AllocatorModel model = model_;
  for (const std::uint32_t block : blocks) {
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), block,
                         [](std::uint32_t index, const Adopted& segment) { return index < segment.first_block; });
    if (after == segments_.begin()) continue;
    const Adopted& segment = *std::prev(after);
    if (block - segment.first_block < segment.handles.size()) model.free(segment.handles[block - segment.first_block]);
  }
  return model.alloc(request_.bytes, request_.stream, request_.pool).has_value();
}

} // namespace memviz
