#include "memviz/recording.hpp"

#include <set>

namespace memviz {

std::vector<std::uint32_t> Recording::devices() const {
  std::set<std::uint32_t> found;
  for (const Segment& segment : end.segments)
    found.insert(segment.device);
  for (std::size_t device = 0; device < event_counts.size(); ++device) {
    if (event_counts[device] > 0) found.insert(static_cast<std::uint32_t>(device));
  }
  return {found.begin(), found.end()};
}

} // namespace memviz
