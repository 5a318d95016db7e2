#pragma once

// Segments of two recordings with the same address and size -> whether they are really the same ones, from one process.

#include "memviz/compare.hpp"

#include <span>

namespace memviz {

/// The final states of two recordings, with the times of their segments; null: unknown.
struct SegmentSides {
  const MemoryState& before;
  const MemoryState& after;
  const SegmentTimes* before_times = nullptr;
  const SegmentTimes* after_times = nullptr;
};

/// Whether more of the `shared` segments differ than agree in the time of their allocation or, if that is unknown, in
/// their stack: two processes have equal addresses by chance, or because they run the same program. Recordings of two
/// ranks are always from two processes. If neither is known for any segment: whether the recordings are a month apart
/// and share less than half, or the segments hold many blocks of which none is on both sides.
[[nodiscard]] bool are_shared_by_chance(const SegmentSides& sides, std::span<const SegmentRef> shared);

} // namespace memviz
