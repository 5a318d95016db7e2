#pragma once

// The events of a recording, cut into steps as find_leaks() cuts them -> the memory of each step.

#include "memviz/leaks.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// A step, or the events before the first one. Requested bytes, as in DeviceFigures: end = start + allocated - freed.
struct StepFigures {
  std::uint64_t first_event = 0;
  std::uint64_t events = 0;
  std::optional<std::int64_t> time_us = {}; ///< of the first event
  std::uint64_t start_bytes = 0;            ///< live where it begins
  std::uint64_t peak_bytes = 0;
  std::uint64_t end_bytes = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t freed_bytes = 0;

  [[nodiscard]] std::int64_t growth_bytes() const;
};

/// The steps of one device.
struct StepTable {
  DeviceId device;
  DeviceKind device_kind = DeviceKind::cuda;
  Steps steps;
  std::optional<StepFigures> before = {}; ///< the events before the first step of `rows`; nullopt if there are none
  std::vector<StepFigures> rows = {};     ///< by step; the last one ends with the recording and need not be whole
};

/// Returns a table for each device with events and memory, and for the chosen one; without rows if no steps are found.
/// The recording holds its events. Throws the exceptions of find_leaks().
[[nodiscard]] std::vector<StepTable> step_tables(const MemoryState& state, const LeakOptions& options);

} // namespace memviz
