#pragma once

// The memory events of a trace -> what was allocated and freed, without contradictions, and segments and blocks at its
// end. The trace has no segments: adjacent addresses become one. Free ones that the trace's total has no room for were
// returned to the device before the end; without a total, all free ones.

#include "memviz/device_id.hpp"
#include "memviz/events.hpp"
#include "recording/profiler_events.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// A memory event, or what is missing in the trace next to it: a free before it, or a change of segments.
struct ProfilerChange {
  std::uint32_t event = 0; ///< index of the memory event
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  Action action = Action::alloc;
  bool is_recorded = true; ///< whether it is the memory event itself
};

struct ProfilerBlock {
  std::uint64_t size_bytes = 0;
  bool is_active = false;
  std::optional<std::uint32_t> event; ///< that allocated it
};

struct ProfilerSegment {
  DeviceId device;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::size_t first_block = 0;
  std::size_t block_count = 0;
};

struct ProfilerMemory {
  std::vector<ProfilerChange> changes; ///< by time
  std::vector<ProfilerSegment> segments;
  std::vector<ProfilerBlock> blocks; ///< of each segment from its beginning; unused bytes have none
  std::uint64_t missing_frees = 0;   ///< frees that are missing in the trace, and in `changes`
  std::uint64_t left_out_frees = 0;  ///< frees of memory whose allocation is missing after the trace began
  std::uint64_t unused_bytes = 0;    ///< reserved at the end in addition to all of these, at unknown addresses
  std::uint64_t unplaced_bytes = 0;  ///< allocated before the trace and until its end, at unknown addresses
  std::uint64_t reserved_bytes = 0;  ///< of all devices at the end, as the trace reports
  std::uint64_t excess_bytes = 0;    ///< of segments, in addition to that
  bool has_returned = false;         ///< whether segments are missing at the end, because they were returned
};

/// Returns the changes and segments of events that are sorted by time.
[[nodiscard]] ProfilerMemory profiler_memory(const std::vector<ProfilerMemoryEvent>& events);

} // namespace memviz
