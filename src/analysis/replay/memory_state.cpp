#include "memviz/memory_state.hpp"

#include <algorithm>

namespace memviz {

std::vector<DeviceStats> MemoryState::stats_of(std::optional<std::uint32_t> device) const {
  if (!device) return devices;
  const auto is_before = [](const DeviceStats& stats, std::uint32_t wanted) { return stats.device < wanted; };
  const auto found = std::lower_bound(devices.begin(), devices.end(), *device, is_before);
  if (found == devices.end() || found->device != *device) return {};
  return {*found};
}

} // namespace memviz
