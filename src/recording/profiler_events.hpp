#pragma once

// A trace of PyTorch's profiler (Kineto's, in Chrome's format) -> its "[memory]" events, and what ran while they
// happened: operators, Python functions, annotations.

#include "memviz/device_id.hpp"
#include "value/document.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// An operator or a Python function that ran on a thread, or an annotation. Times are relative to
/// ProfilerEvents::base_ns, since a double holds microseconds since 1970 only to a quarter.
struct ProfilerSpan {
  double begin_us = 0;
  double end_us = 0;
  Value name; ///< a text
  std::uint32_t thread = 0;
};

/// Memory that was allocated, or freed.
struct ProfilerMemoryEvent {
  double time_us = 0;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::optional<std::uint64_t> allocated_bytes; ///< on the device, after the event
  std::optional<std::uint64_t> reserved_bytes;  ///< on the device, after the event
  DeviceId device;
  std::uint32_t thread = 0;
  bool is_free = false;
};

struct ProfilerEvents {
  std::int64_t base_ns = 0;                ///< since 1970, if the trace records when it began
  std::vector<ProfilerMemoryEvent> memory; ///< by time; of GPUs, or of the CPU if the trace has no others
  std::vector<ProfilerSpan> calls;         ///< by thread, then by beginning, outer ones first
  std::vector<ProfilerSpan> annotations;
  bool is_cpu = false;                  ///< whether the memory is that of the CPU
  bool has_functions = false;           ///< whether Python functions are among the calls
  std::uint64_t cpu_events = 0;         ///< memory events of the CPU, left out because there are GPUs
  std::uint64_t failed_requests = 0;    ///< out-of-memory errors
  std::uint64_t first_failed_bytes = 0; ///< the size of the first of them
  std::uint64_t left_out_events = 0;    ///< memory events without a time, an address or a size
};

/// Whether the document is a trace in Chrome's format, of whichever program, and not a snapshot.
[[nodiscard]] bool is_profiler_trace(const Document& document);

/// Returns what such a trace has.
[[nodiscard]] ProfilerEvents profiler_events(const Document& trace);

} // namespace memviz
