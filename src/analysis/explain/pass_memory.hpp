#pragma once

// The blocks in use at a failed request -> what the pass in which it failed keeps, and how much of that
// torch.utils.checkpoint of its layers frees.

#include "analysis/calls/live_block.hpp"

#include <cstdint>
#include <span>

namespace memviz {

struct PassMemory {
  /// Made in this pass: neither inputs, nor what lasts longer than a step, nor what was loaded.
  std::uint64_t kept_bytes = 0;
  /// About what checkpointing each layer frees: of stacks that made a block in each of several layers all but one
  /// block, without what each layer hands to the next. Neither logits and loss nor what is checkpointed already is part
  /// of it.
  std::uint64_t checkpointing_bytes = 0;
  std::uint64_t loaded_bytes = 0; ///< by torch.load(), except parameters; at any time
};

/// `blocks` as live_blocks() returns them. `start`: the event with which the pass begins; none if no pass has ended:
/// then it begins with the first activation.
[[nodiscard]] PassMemory pass_memory(std::span<const LiveBlock> blocks, EventIndex start);

} // namespace memviz
