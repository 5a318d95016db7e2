#include "memviz/recording.hpp"

#include <cstddef>
#include <set>
#include <vector>

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

void take_events(const Recording& recording, EventSink& sink) {
  sink.begin(recording.frames);
  std::vector<Event> batch;
  for (const auto& [device, events] : recording.traces) {
    for (std::size_t i = 0; i < events.size(); i += batch.size()) {
      batch.clear();
      while (batch.size() < 256 && i + batch.size() < events.size())
        batch.push_back(events[i + batch.size()]);
      sink.take(device, batch);
    }
  }
}

} // namespace memviz
