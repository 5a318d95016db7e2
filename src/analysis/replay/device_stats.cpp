#include "memviz/device_stats.hpp"

#include <algorithm>

namespace memviz {

bool mixes_host(const std::vector<DeviceStats>& devices) {
  const auto is_of_host = [](const DeviceStats& stats) { return is_host(stats.device); };
  return devices.size() > 1 && std::any_of(devices.begin(), devices.end(), is_of_host);
}

bool are_at_end(const std::vector<DeviceStats>& devices) {
  return std::all_of(devices.begin(), devices.end(), [](const DeviceStats& stats) { return stats.at.is_end(); });
}

std::optional<DeviceId> leading_device(const std::vector<DeviceStats>& devices) {
  const bool have_sum = are_at_end(devices) && !mixes_host(devices);
  if (devices.size() < 2 || have_sum) return std::nullopt;
  const auto failed = std::find_if(devices.begin(), devices.end(),
                                   [](const DeviceStats& stats) { return stats.at.kind == MomentKind::oom; });
  if (failed != devices.end()) return failed->device;
  const auto holds_less = [](const DeviceStats& one, const DeviceStats& other) {
    if (is_host(one.device) != is_host(other.device)) return is_host(one.device);
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

MemoryTotals& MemoryTotals::operator+=(const MemoryTotals& more) {
  segments += more.segments;
  blocks += more.blocks;
  reserved_bytes += more.reserved_bytes;
  allocated_bytes += more.allocated_bytes;
  pending_free_bytes += more.pending_free_bytes;
  inactive_bytes += more.inactive_bytes;
  unaccounted_bytes += more.unaccounted_bytes;
  requested_bytes += more.requested_bytes;
  outside_bytes += more.outside_bytes;
  return *this;
}

EventCounts& EventCounts::operator+=(const EventCounts& more) {
  events += more.events;
  allocs += more.allocs;
  alloc_bytes += more.alloc_bytes;
  free_bytes += more.free_bytes;
  unmatched_frees += more.unmatched_frees;
  unmatched_free_bytes += more.unmatched_free_bytes;
  allocs_without_stack += more.allocs_without_stack;
  ooms += more.ooms;
  actions |= more.actions;
  if (more.first_time_us && (!first_time_us || *more.first_time_us < *first_time_us))
    first_time_us = more.first_time_us;
  if (more.last_time_us && (!last_time_us || *more.last_time_us > *last_time_us)) last_time_us = more.last_time_us;
  return *this;
}

EventAccounts& EventAccounts::operator+=(const EventAccounts& more) {
  EventCounts::operator+=(more);
  baseline_bytes += more.baseline_bytes;
  may_have_lost_events = may_have_lost_events || more.may_have_lost_events;
  unexplained_blocks += more.unexplained_blocks;
  unexplained_with_stack += more.unexplained_with_stack;
  unexplained_with_stack_bytes += more.unexplained_with_stack_bytes;
  peak_requested_bytes += more.peak_requested_bytes;
  peak_event = more.peak_event;
  end_requested_bytes += more.end_requested_bytes;
  end_reserved_bytes += more.end_reserved_bytes;
  end_block_bytes += more.end_block_bytes;
  imbalance_bytes += more.imbalance_bytes;
  return *this;
}

DeviceStats sum_of(const std::vector<DeviceStats>& devices) {
  DeviceStats sum;
  for (const DeviceStats& device : devices) {
    static_cast<MemoryTotals&>(sum) += device;
    static_cast<EventAccounts&>(sum) += device;
    sum.device = device.device;
    sum.is_cpu = device.is_cpu;
  }
  return sum;
}

} // namespace memviz
