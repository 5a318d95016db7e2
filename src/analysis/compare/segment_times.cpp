#include "memviz/segment_times.hpp"

namespace memviz {

void SegmentTimes::take(DeviceId device, std::span<const Event> events) {
  for (const Event& event : events) {
    if (event.action == Action::segment_alloc && event.time_us) {
      times_us_[{device, event.address}] = *event.time_us;
    } else if (event.action == Action::segment_free) {
      times_us_.erase({device, event.address});
    }
  }
}

std::optional<std::int64_t> SegmentTimes::time_us(DeviceId device, std::uint64_t address) const {
  const auto found = times_us_.find({device, address});
  return found == times_us_.end() ? std::nullopt : std::optional(found->second);
}

} // namespace memviz
