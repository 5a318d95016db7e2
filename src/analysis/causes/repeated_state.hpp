#pragma once

// The blocks in use -> the state that several optimizers made for the same parameters.

#include "analysis/calls/live_block.hpp"
#include "memviz/causes.hpp"

#include <span>

namespace memviz {

/// Takes blocks in the order in which they were allocated. Returns repeated_state: the state of lines that have made it
/// at least twice for all parameters of its sizes, one time after the other; Cause::calls is how often. Without bytes
/// where there is one of each, or where state and parameters have other sizes, as with other precision.
[[nodiscard]] Cause repeated_state(std::span<const LiveBlock> blocks);

} // namespace memviz
