#include "memviz/recording.hpp"

#include <set>

namespace memviz {

const EventTable& Recording::events_of(DeviceId device) const {
  static const EventTable none;
  const EventTable* const found = traces.find(device);
  return found == nullptr ? none : *found;
}

std::vector<DeviceId> Recording::devices() const {
  std::set<DeviceId> found;
  for (const Segment& segment : end.segments)
    found.insert(segment.device);
  for (const auto& [device, count] : event_counts)
    if (count > 0) found.insert(device);
  return {found.begin(), found.end()};
}

} // namespace memviz
