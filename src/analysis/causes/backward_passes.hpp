#pragma once

// The events before a failed request -> whether the pass that runs is followed by a backward pass.

#include "analysis/calls/live_block.hpp"
#include "memviz/events.hpp"

#include <span>

namespace memviz {

/// Whether a backward pass runs now (`request`), or has followed an earlier call of the model by the lines that made
/// the newest block of `pass`: an evaluation after training has none. `pass` and `backward`, the allocations of
/// backward passes, are in the order of allocation.
[[nodiscard]] bool has_backward(const EventTable& events, std::span<const EventIndex> backward,
                                const CallLines& request, std::span<const LiveBlock> pass, CallLineFinder& finder);

/// Whether a pass keeps what a backward pass needs: several blocks of many stacks each. Without a graph each layer
/// frees what the one before made, except what the program itself keeps: keys, values, hidden states, attentions.
[[nodiscard]] bool keeps_graph(std::span<const LiveBlock> pass);

} // namespace memviz
