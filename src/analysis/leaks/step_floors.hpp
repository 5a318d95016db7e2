#pragma once

// Events and where steps begin -> for each kind of allocation, its live bytes step by step. Only what changes within a
// step is kept, so memory is proportional to the events.

#include "analysis/leaks/repetition.hpp"
#include "memviz/leaks.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

/// The live bytes of one kind in a step in which they changed.
struct StepSample {
  std::uint32_t step = 0;
  std::uint64_t start_bytes = 0;
  std::uint64_t floor_bytes = 0;
  std::uint64_t end_bytes = 0;
};

struct KindFloors {
  AllocationKind kind;
  std::vector<StepSample> samples; ///< ascending by step
  std::uint64_t before_bytes = 0;  ///< live where the first step begins
  std::uint64_t end_bytes = 0;
  std::uint64_t end_blocks = 0;
  FreeBurst burst;

  /// One number a step; where nothing changes in it, what is live.
  [[nodiscard]] std::vector<std::uint64_t> by_step(std::uint64_t StepSample::*bytes, std::size_t steps) const;
};

struct StepFloors {
  std::vector<KindFloors> kinds;          ///< of all recorded allocs
  std::vector<std::uint64_t> floor_bytes; ///< by step, of all together, with the baseline
  std::vector<std::uint64_t> peak_bytes;
  std::uint64_t allocated_bytes = 0; ///< in the steps
  std::uint64_t freed_bytes = 0;     ///< of what was allocated in the trace
};

/// `baseline_bytes` lived before the first event.
[[nodiscard]] StepFloors step_floors(const FrameTable& frames, const EventTable& events,
                                     const std::vector<std::uint64_t>& starts, std::uint64_t baseline_bytes);

} // namespace memviz
