#include "memviz/memory_state.hpp"

#include <algorithm>

namespace memviz {

std::span<const DeviceState> MemoryState::devices_of(std::optional<DeviceId> device) const {
  if (!device) return devices;
  const DeviceState* const found = device_at(*device);
  return found == nullptr ? std::span<const DeviceState>{} : std::span(found, 1);
}

const DeviceState* MemoryState::device_at(DeviceId device) const {
  const auto found = std::ranges::lower_bound(devices, device, {}, &DeviceState::device);
  return found == devices.end() || found->device != device ? nullptr : &*found;
}

} // namespace memviz
