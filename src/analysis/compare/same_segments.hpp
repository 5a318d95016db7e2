#pragma once

// Segments of two recordings with the same address and size -> whether they are the same ones, of one process.

#include "memviz/compare.hpp"

#include <span>

namespace memviz {

/// Two recordings of the same end, with the times of their segments; null: unknown.
struct SegmentSides {
  const MemoryState& before;
  const MemoryState& after;
  const SegmentTimes* before_times = nullptr;
  const SegmentTimes* after_times = nullptr;
};

/// Whether more of `shared`, which both sides have, differ by the time of their allocation, or where that is unknown by
/// their stack, than agree: two processes have equal addresses by chance, or because they run the same program.
/// Recordings of two ranks are of two processes. Where neither is known of any segment, whether the recordings are a
/// month apart and share less than half, or these segments hold many blocks of which none is on both sides.
[[nodiscard]] bool are_shared_by_chance(const SegmentSides& sides, std::span<const SegmentRef> shared);

} // namespace memviz
