#pragma once

// A device in JSON ("device": 0, "device": "host"), and its totals.

#include "base/json_writer.hpp"
#include "memviz/device_state.hpp"
#include "memviz/label.hpp"
#include "memviz/perfect_allocator.hpp"

#include <optional>

namespace memviz {

inline JsonWriter& write_device_key(JsonWriter& json, DeviceId device) {
  json.key("device");
  return is_host(device) ? json.value(device_word(device)) : json.value(device.value);
}

/// Writes what the best of all allocators would need, or null.
inline JsonWriter& write_perfect_allocator(JsonWriter& json, const std::optional<PerfectAllocator>& perfect) {
  json.key("perfect_allocator");
  if (!perfect) return json.value(nullptr);
  return json.begin_object(JsonLayout::compact)
      .member("needed_bytes", perfect->needed_bytes)
      .member("available_bytes", perfect->available_bytes)
      .end_object();
}

/// Writes the sizes of segments and of blocks by state.
inline JsonWriter& write_totals(JsonWriter& json, const MemoryTotals& totals) {
  return json.member("reserved_bytes", totals.reserved_bytes)
      .member("allocated_bytes", totals.allocated_bytes)
      .member("pending_free_bytes", totals.pending_free_bytes)
      .member("inactive_bytes", totals.inactive_bytes);
}

} // namespace memviz
