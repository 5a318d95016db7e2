#include "memviz/perfect_allocator.hpp"

#include "base/saturating.hpp"

#include <algorithm>

namespace memviz {

std::optional<PerfectAllocator> perfect_allocator(const DeviceState& device,
                                                  std::optional<std::uint64_t> device_free_bytes) {
  const DeviceFigures& figures = device.figures;
  const bool has_failed = device.moment.kind == MomentKind::oom;
  const bool is_before_peak = !device.peak_event.is_none() && device.peak_event > device.moment.event;
  if (is_host(device.device) || device.are_segments_made_up || !figures.balanced() || figures.events == 0 ||
      figures.reserved_bytes == 0 || (has_failed ? !device_free_bytes : is_before_peak))
    return std::nullopt;
  PerfectAllocator perfect{.needed_bytes = is_before_peak ? figures.requested_bytes : figures.peak_requested_bytes,
                           .available_bytes = figures.reserved_bytes};
  if (has_failed) {
    perfect.needed_bytes =
        std::max(perfect.needed_bytes, saturating_sum(figures.requested_bytes, device.moment.asked_bytes));
    perfect.available_bytes = saturating_sum(perfect.available_bytes, *device_free_bytes);
  } else if (!perfect.is_enough()) {
    return std::nullopt;
  }
  return perfect;
}

} // namespace memviz
