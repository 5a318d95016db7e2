#include "memviz/replay.hpp"

namespace memviz {

std::vector<DeviceStats> stats_of(const Replay& replay, std::optional<std::uint32_t> device) {
  std::vector<DeviceStats> chosen;
  for (const DeviceStats& stats : replay.devices)
    if (!device || stats.device == *device) chosen.push_back(stats);
  return chosen;
}

std::vector<std::string> all_warnings(const Snapshot& snapshot, const Replay& replay) {
  std::vector<std::string> warnings = snapshot.warnings;
  warnings.insert(warnings.end(), replay.warnings.begin(), replay.warnings.end());
  return warnings;
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
    sum.baseline_bytes += device.baseline_bytes;
    sum.allocs += device.allocs;
    sum.alloc_bytes += device.alloc_bytes;
    sum.free_bytes += device.free_bytes;
    sum.peak_requested_bytes += device.peak_requested_bytes;
    sum.peak_event = device.peak_event;
    sum.end_requested_bytes += device.end_requested_bytes;
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
