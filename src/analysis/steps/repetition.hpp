#pragma once

// The order of allocations -> the steps of the loop that made them. A loop allocates from the same lines in each turn:
// stacks that occur equally often, at even distances, mark its turns.

#include "analysis/steps/passes.hpp"
#include "memviz/events.hpp"
#include "memviz/frames.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

struct Repetition {
  std::vector<std::uint64_t> starts; ///< index of the alloc with which each turn begins; empty: none found
  std::uint64_t anchors = 0;         ///< stacks that occur once per turn
  bool has_both_passes = false;      ///< whether most turns have a forward and a backward pass
};

/// Whether events lie at even distances over at least half of a trace; never for fewer than three.
[[nodiscard]] bool is_even(const std::vector<std::uint64_t>& places, std::uint64_t events);

/// Prefers turns that have both passes; `changes` are those of `events`.
[[nodiscard]] Repetition find_repetition(const FrameTable& frames, const EventTable& events,
                                         std::span<const PassChange> changes);

/// The key that distinguishes allocations: the stack, or the size if there is no stack.
struct AllocationKind {
  StackId stack = kNoFrames;
  std::uint64_t size_bytes = 0; ///< only if there is no stack
  friend auto operator<=>(const AllocationKind&, const AllocationKind&) = default;
};
[[nodiscard]] AllocationKind allocation_kind(const FrameTable& frames, StackId stack, std::uint64_t size_bytes);

} // namespace memviz
