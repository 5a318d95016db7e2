#include "memviz/places.hpp"

#include "analysis/replay/segment_totals.hpp"

#include <map>
#include <tuple>

namespace memviz {

std::vector<Place> places_of(const Snapshot& snapshot, std::optional<std::uint32_t> only_device) {
  std::map<std::tuple<std::uint32_t, PoolId, std::int64_t>, DeviceStats> totals;
  for (const Segment& segment : snapshot.segments_of(only_device))
    add_segment(snapshot, segment, totals[{segment.device, segment.pool, segment.stream}]);
  std::vector<Place> places;
  for (const auto& [key, stats] : totals) {
    const auto& [place_device, pool, stream] = key;
    places.push_back({place_device, pool, stream, stats});
    places.back().stats.device = place_device;
    places.back().stats.is_cpu = snapshot.origin.is_main_memory(place_device);
  }
  return places;
}

} // namespace memviz
