#include "memviz/places.hpp"

#include "analysis/replay/segment_totals.hpp"

#include <map>
#include <tuple>

namespace memviz {

std::vector<Place> places_of(const MemoryState& state, std::optional<DeviceId> only_device) {
  std::map<std::tuple<DeviceId, PoolId, std::int64_t>, DeviceStats> totals;
  for (const Segment& segment : state.segments_of(only_device))
    add_segment(state, segment, totals[{segment.device, segment.pool, segment.stream}]);
  std::vector<Place> places;
  for (const auto& [key, stats] : totals) {
    const auto& [place_device, pool, stream] = key;
    places.push_back({place_device, pool, stream, stats});
    places.back().stats.device = place_device;
    places.back().stats.is_cpu = state.recording->origin.is_main_memory(place_device);
  }
  return places;
}

} // namespace memviz
