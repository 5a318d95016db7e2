#pragma once

// Events and where steps begin -> for each kind of allocation, its live bytes step by step. Stores only the steps in
// which something changes, so memory is proportional to the events.

#include "analysis/steps/repetition.hpp"
#include "memviz/leaks.hpp"

#include <array>
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

/// The blocks that were allocated in a step and are alive at the end.
struct Survivors {
  std::uint32_t step = 0;
  std::uint64_t bytes = 0;
};

/// The numbers of blocks by how many steps later they were freed, in powers of two: in the same step, 1 later, 2 to 3,
/// 4 to 7, ...
class Lifetimes {
public:
  void add(std::uint32_t steps);
  /// Returns the number of steps that 99 of 100 freed blocks did not exceed; 0 if none was freed.
  [[nodiscard]] std::size_t long_life() const;

private:
  std::array<std::uint32_t, 12> counts_{}; ///< kMostSteps is 2^10
};

struct KindFloors {
  AllocationKind kind;
  std::vector<StepSample> samples; ///< ascending by step
  std::uint64_t before_bytes = 0;  ///< live where the first step begins
  std::uint64_t end_bytes = 0;
  std::uint64_t end_blocks = 0;
  FreeBurst burst;
  std::vector<Survivors> survivors; ///< ascending by step
  Lifetimes lifetimes;

  /// Returns one number per step; in steps without a change, the live bytes.
  [[nodiscard]] std::vector<std::uint64_t> by_step(std::uint64_t StepSample::*bytes, std::size_t steps) const;
  /// Returns the bytes that are alive at the end, by the step in which they were allocated.
  [[nodiscard]] std::vector<std::uint64_t> survivors_by_step(std::size_t steps) const;
};

struct StepFloors {
  std::vector<KindFloors> kinds;          ///< of all recorded allocs
  std::vector<std::uint64_t> floor_bytes; ///< by step, of all together, with the baseline
  std::vector<std::uint64_t> peak_bytes;
  std::uint64_t allocated_bytes = 0; ///< in the steps
  std::uint64_t freed_bytes = 0;     ///< of what was allocated in the trace
};

/// `baseline_bytes`: live before the first event.
[[nodiscard]] StepFloors step_floors(const FrameTable& frames, const EventTable& events,
                                     const std::vector<std::uint64_t>& starts, std::uint64_t baseline_bytes);

} // namespace memviz
