#pragma once

// The blocks in use -> the state that several optimizers made for the same parameters.

#include "analysis/calls/live_block.hpp"
#include "memviz/causes.hpp"

#include <span>

namespace memviz {

/// Takes blocks in the order in which they were allocated, and the allocations of backward passes. Returns
/// repeated_state: the state of lines that have made it at least twice for all parameters of its sizes, with a backward
/// pass between each two times; Cause::calls is how often the line with most bytes did. Without bytes where there is
/// one of each, or where state and parameters have other sizes, as with other precision. What may be parameters counts
/// as parameters: other models may have their own optimizers.
[[nodiscard]] Cause repeated_state(std::span<const LiveBlock> blocks, std::span<const EventIndex> backward);

} // namespace memviz
