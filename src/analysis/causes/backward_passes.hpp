#pragma once

// The events before a failed request -> where backward passes ran, and whether the pass that runs needs one.

#include "analysis/calls/live_block.hpp"
#include "memviz/events.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memviz {

/// Returns the allocations of backward passes among the first `count` events, in their order.
[[nodiscard]] std::vector<EventIndex> backward_events(const EventTable& events, std::size_t count,
                                                      CallLineFinder& finder);

/// Whether a backward pass runs now (`request`), or has followed an earlier call of the model by the lines that made
/// the newest block of `pass`: an evaluation after training has none. `pass` is in the order of allocation.
[[nodiscard]] bool has_backward(const EventTable& events, std::size_t count, const CallLines& request,
                                std::span<const LiveBlock> pass, CallLineFinder& finder);

/// Whether a pass keeps what a backward pass needs: several blocks of many stacks each. Without a graph each layer
/// frees what the one before made, except what the program itself keeps: keys, values, hidden states, attentions.
[[nodiscard]] bool keeps_graph(std::span<const LiveBlock> pass);

} // namespace memviz
