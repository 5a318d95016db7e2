#pragma once

// The blocks in use and the request -> the causes that a few large tensors are: one that is larger than all else, and
// the results that autograd keeps of an expression of many operations.

#include "analysis/calls/live_block.hpp"
#include "memviz/frames.hpp"

#include <span>

namespace memviz {

/// Returns large_tensors: the tensors of one function, at most four, of one size up to precision, that are more than
/// all else that is in use and requested. Without bytes unless at least one is alive, and where modules make more
/// than one: those are the layers of a pass. What lasts longer than a step and caches of keys and values are no part.
[[nodiscard]] Cause large_tensors(const FrameTable& frames, std::span<const LiveBlock> blocks, const Request& request,
                                  const CallLines& asks);

/// Returns unfused: the blocks of one line of the user's own code, of which each call of a module keeps at least four
/// of one size, made by PyTorch's operators without a function of a library between. Cause::calls is the number of
/// blocks of one call.
[[nodiscard]] Cause unfused(std::span<const LiveBlock> blocks);

} // namespace memviz
