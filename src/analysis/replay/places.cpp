#include "memviz/places.hpp"

#include "analysis/replay/segment_totals.hpp"

#include <map>
#include <tuple>

namespace memviz {

std::vector<Place> places_of(const MemoryState& state, std::optional<DeviceId> only_device) {
  std::map<std::tuple<DeviceId, PoolId, std::int64_t>, MemoryTotals> sums;
  for (const Segment& segment : state.segments_of(only_device))
    add_segment(state, segment, sums[{segment.device, segment.pool, segment.stream}]);
  std::vector<Place> places;
  for (const auto& [key, totals] : sums) {
    const auto& [device, pool, stream] = key;
    places.push_back({device, pool, stream, totals});
  }
  return places;
}

} // namespace memviz
