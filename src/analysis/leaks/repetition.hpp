#pragma once

// The order of allocations -> the steps of the loop that made them. A loop allocates from the same lines in each turn:
// stacks that occur equally often, at even distances, mark its turns.

#include "analysis/leaks/passes.hpp"
#include "memviz/events.hpp"
#include "memviz/frames.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

struct Repetition {
  std::vector<std::uint64_t> starts; ///< index of the alloc with which each turn begins; empty: none found
  std::uint64_t anchors = 0;         ///< stacks that occur once a turn
  bool has_both_passes = false;      ///< a forward and a backward pass are in each of most turns
};

/// Whether events lie at even distances over at least half of a trace; fewer than three never do.
[[nodiscard]] bool is_even(const std::vector<std::uint64_t>& places, std::uint64_t events);

/// Turns that have both passes are preferred; `changes` are those of `events`.
[[nodiscard]] Repetition find_repetition(const FrameTable& frames, const EventTable& events,
                                         std::span<const PassChange> changes);

/// The key that distinguishes allocations: the stack, or the size if there is no stack.
struct AllocationKind {
  StackId stack = kNoFrames;
  std::uint64_t size_bytes = 0; ///< only without a stack
  friend auto operator<=>(const AllocationKind&, const AllocationKind&) = default;
};
[[nodiscard]] AllocationKind allocation_kind(const FrameTable& frames, StackId stack, std::uint64_t size_bytes);

} // namespace memviz
