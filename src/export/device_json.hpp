#pragma once

// A device in JSON ("device": 0, "device": "host"), and its totals.

#include "base/json_object_schema.hpp"
#include "memviz/device_state.hpp"
#include "memviz/label.hpp"
#include "memviz/perfect_allocator.hpp"
#include "value/field.hpp"

namespace memviz {

/// A device as a value in JSON.
struct DeviceForm {
  template <class Subject> void write(JsonWriter& json, const Subject& /*subject*/, DeviceId device) const {
    is_host(device) ? json.value(device_word(device)) : json.value(device.value);
  }
  void write_rules(SchemaWriter& writer, const ValueRule& rule) const;
  void read(const Document& document, const Field& field, DeviceId& device) const;
};
inline constexpr DeviceForm kDeviceForm;

inline constexpr std::string_view kPerfectAllocatorMeaning =
    "What the best of all allocators would need, whatever the settings; null where it is unknown: without events, "
    "before "
    "the peak, or where memory was returned since";

inline constexpr auto kPerfectAllocator = json_object<PerfectAllocator>(
    {.layout = JsonLayout::compact},
    member("needed_bytes",
           "Highest requested bytes so far; at an out-of-memory error, at least what was requested and asked for",
           &PerfectAllocator::needed_bytes),
    member("available_bytes", "Reserved; at such an error, in the answer of explain, with what was free on the device",
           &PerfectAllocator::available_bytes));

inline constexpr auto kTotals = json_object<MemoryTotals>(
    {}, member("reserved_bytes", "Bytes of all segments", &MemoryTotals::reserved_bytes),
    member("allocated_bytes", "Bytes of blocks in state active_allocated", &MemoryTotals::allocated_bytes),
    member("pending_free_bytes",
           "Bytes of blocks in state active_pending_free: freed, but another stream may still use them",
           &MemoryTotals::pending_free_bytes),
    member("inactive_bytes", "Bytes of free blocks that stay reserved", &MemoryTotals::inactive_bytes));

} // namespace memviz
