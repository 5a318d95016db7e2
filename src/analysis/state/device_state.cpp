#include "memviz/device_state.hpp"

#include <algorithm>
#include <utility>

namespace memviz {

bool mixes_host(std::span<const DeviceState> devices) {
  const auto is_of_host = [](const DeviceState& device) { return is_host(device.device); };
  return devices.size() > 1 && std::ranges::any_of(devices, is_of_host);
}

bool are_at_end(std::span<const DeviceState> devices) {
  return std::ranges::all_of(devices, [](const DeviceState& device) { return device.moment.is_end(); });
}

const DeviceState* leading_device(std::span<const DeviceState> devices) {
  if (devices.size() < 2) return nullptr;
  const auto failed =
      std::ranges::find_if(devices, [](const DeviceState& device) { return device.moment.kind == MomentKind::oom; });
  if (failed != devices.end()) return &*failed;
  return &*std::ranges::max_element(devices, [](const DeviceState& one, const DeviceState& other) {
    if (is_host(one.device) != is_host(other.device)) return is_host(one.device);
    return std::pair(one.figures.requested_bytes, one.figures.reserved_bytes) <
           std::pair(other.figures.requested_bytes, other.figures.reserved_bytes);
  });
}

std::vector<const DeviceState*> leading_first(std::span<const DeviceState> devices) {
  std::vector<const DeviceState*> ordered;
  for (const DeviceState& device : devices)
    ordered.push_back(&device);
  if (const auto leading = std::ranges::find(ordered, leading_device(devices)); leading != ordered.end())
    std::rotate(ordered.begin(), leading, leading + 1);
  return ordered;
}

std::vector<const DeviceState*> failed_first(std::span<const DeviceState> devices) {
  std::vector<const DeviceState*> ordered = leading_first(devices);
  if (!ordered.empty() && ordered.front()->moment.kind != MomentKind::oom)
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const DeviceState* device) { return device->figures.ooms > 0; });
  return ordered;
}

const DeviceState* shown_device(std::span<const DeviceState> devices) {
  return devices.size() == 1 ? &devices.front() : leading_device(devices);
}

DeviceFigures shown_figures(std::span<const DeviceState> devices) {
  const DeviceState* const device = shown_device(devices);
  return device == nullptr ? sum_of(devices) : device->figures;
}

Moment shown_moment(std::span<const DeviceState> devices) {
  const DeviceState* const device = shown_device(devices);
  return device == nullptr ? Moment{} : device->moment;
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

DeviceFigures& DeviceFigures::operator+=(const DeviceFigures& more) {
  MemoryTotals::operator+=(more);
  EventCounts::operator+=(more);
  baseline_bytes += more.baseline_bytes;
  may_have_lost_events = may_have_lost_events || more.may_have_lost_events;
  unexplained_blocks += more.unexplained_blocks;
  unexplained_with_stack += more.unexplained_with_stack;
  unexplained_with_stack_bytes += more.unexplained_with_stack_bytes;
  peak_requested_bytes += more.peak_requested_bytes;
  end_requested_bytes += more.end_requested_bytes;
  end_reserved_bytes += more.end_reserved_bytes;
  end_block_bytes += more.end_block_bytes;
  imbalance_bytes += more.imbalance_bytes;
  return *this;
}

DeviceFigures sum_of(std::span<const DeviceState> devices) {
  DeviceFigures sum;
  for (const DeviceState& device : devices)
    sum += device.figures;
  return sum;
}

} // namespace memviz
