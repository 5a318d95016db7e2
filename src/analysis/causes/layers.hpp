#pragma once

// The blocks of a pass, and the model's parameters -> how many of the model's equal layers the pass has run.
// Layers that a loop runs allocate from the same stacks with the same sizes.

#include "analysis/calls/live_block.hpp"

#include <cstdint>
#include <span>

namespace memviz {

struct Layers {
  std::uint64_t count = 0;         ///< groups of parameters with equal sizes that follow each other
  std::uint64_t done = 0;          ///< equal groups of `pass` at its end
  std::uint64_t to_come_bytes = 0; ///< if the other groups make as much
};

/// Both are in the order in which they were allocated; `next` is the stack of the allocation after `pass`. `count` and
/// `to_come_bytes` are 0 unless both repeat, fewer groups are done than there are, and `next` continues them.
[[nodiscard]] Layers find_layers(std::span<const LiveBlock> parameters, std::span<const LiveBlock> pass, StackId next);

} // namespace memviz
