#include "memviz/memory_state.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace memviz {

std::vector<DeviceStats> MemoryState::stats_of(std::optional<DeviceId> device) const {
  if (!device) return devices;
  const DeviceStats* const found = stats_at(*device);
  return found == nullptr ? std::vector<DeviceStats>{} : std::vector{*found};
}

void MemoryState::keep_figures_of(DeviceId device) {
  const auto found = std::ranges::find(devices, device, &DeviceStats::device);
  const auto index = found - devices.begin();
  const bool is_known = found != devices.end();
  const auto keep = [&](auto& figures) {
    auto kept = is_known ? std::vector{std::move(figures[static_cast<std::size_t>(index)])}
                         : std::remove_reference_t<decltype(figures)>{};
    figures = std::move(kept);
  };
  keep(devices);
  keep(around);
  keep(misfits);
}

const DeviceStats* MemoryState::stats_at(DeviceId device) const {
  const auto found = std::ranges::lower_bound(devices, device, {}, &DeviceStats::device);
  return found == devices.end() || found->device != device ? nullptr : &*found;
}

} // namespace memviz
