#include "memviz/memory_state.hpp"

#include <algorithm>

namespace memviz {

std::vector<DeviceStats> MemoryState::stats_of(std::optional<DeviceId> device) const {
  if (!device) return devices;
  const DeviceStats* const found = stats_at(*device);
  return found == nullptr ? std::vector<DeviceStats>{} : std::vector{*found};
}

const DeviceStats* MemoryState::stats_at(DeviceId device) const {
  const auto found = std::ranges::lower_bound(devices, device, {}, &DeviceStats::device);
  return found == devices.end() || found->device != device ? nullptr : &*found;
}

std::vector<std::string> MemoryState::all_warnings() const {
  std::vector<std::string> all = recording->warnings;
  all.insert(all.end(), warnings.begin(), warnings.end());
  return all;
}

} // namespace memviz
