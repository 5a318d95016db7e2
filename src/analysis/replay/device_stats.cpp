#include "memviz/device_stats.hpp"

#include <algorithm>

namespace memviz {

std::optional<DeviceId> leading_device(const std::vector<DeviceStats>& devices) {
  const auto is_at_end = [](const DeviceStats& stats) { return stats.at.is_end(); };
  if (devices.size() < 2 || std::all_of(devices.begin(), devices.end(), is_at_end)) return std::nullopt;
  const auto failed = std::find_if(devices.begin(), devices.end(),
                                   [](const DeviceStats& stats) { return stats.at.kind == MomentKind::oom; });
  if (failed != devices.end()) return failed->device;
  const auto holds_less = [](const DeviceStats& one, const DeviceStats& other) {
    return one.requested_bytes < other.requested_bytes;
  };
  return std::max_element(devices.begin(), devices.end(), holds_less)->device;
}

DeviceStats leading_or_sum(const std::vector<DeviceStats>& devices) {
  const auto leading = leading_device(devices);
  if (!leading) return devices.size() == 1 ? devices.front() : sum_of(devices);
  return *std::find_if(devices.begin(), devices.end(),
                       [&](const DeviceStats& stats) { return stats.device == *leading; });
}

DeviceStats sum_of(const std::vector<DeviceStats>& devices) {
  DeviceStats sum;
  for (const DeviceStats& device : devices) {
    sum.device = device.device;
    sum.is_cpu = device.is_cpu;
    sum.segments += device.segments;
    sum.blocks += device.blocks;
    sum.events += device.events;
    sum.reserved_bytes += device.reserved_bytes;
    sum.allocated_bytes += device.allocated_bytes;
    sum.pending_free_bytes += device.pending_free_bytes;
    sum.inactive_bytes += device.inactive_bytes;
    sum.unaccounted_bytes += device.unaccounted_bytes;
    sum.requested_bytes += device.requested_bytes;
    sum.outside_bytes += device.outside_bytes;
    sum.baseline_bytes += device.baseline_bytes;
    sum.may_have_lost_events = sum.may_have_lost_events || device.may_have_lost_events;
    sum.allocs += device.allocs;
    sum.alloc_bytes += device.alloc_bytes;
    sum.free_bytes += device.free_bytes;
    sum.peak_requested_bytes += device.peak_requested_bytes;
    sum.peak_event = device.peak_event;
    sum.end_requested_bytes += device.end_requested_bytes;
    sum.end_reserved_bytes += device.end_reserved_bytes;
    sum.end_block_bytes += device.end_block_bytes;
    sum.imbalance_bytes += device.imbalance_bytes;
    sum.ooms += device.ooms;
    if (device.first_time_us && (!sum.first_time_us || *device.first_time_us < *sum.first_time_us))
      sum.first_time_us = device.first_time_us;
    if (device.last_time_us && (!sum.last_time_us || *device.last_time_us > *sum.last_time_us))
      sum.last_time_us = device.last_time_us;
  }
  return sum;
}

} // namespace memviz
