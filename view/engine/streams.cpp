#include "engine/streams.hpp"

#include <algorithm>

namespace memviz::view {

Streams::Streams(const MemoryMap& end, const DeviceRecord& record) : record_(record) {
  for (const Segment& segment : end.segments_of(record.device))
    segments_.push_back(&segment);
  std::ranges::sort(segments_, {}, [](const Segment* segment) { return segment->address; });
}

std::string Streams::of(const Life& life) const {
  if (life.home < record_.homes.size()) return std::to_string(record_.homes[life.home].stream);
  const auto after =
      std::ranges::upper_bound(segments_, life.address, {}, [](const Segment* segment) { return segment->address; });
  if (after == segments_.begin()) return "";
  const Segment& segment = **std::prev(after);
  return life.address - segment.address < segment.total_bytes ? std::to_string(segment.stream) : "";
}

} // namespace memviz::view
