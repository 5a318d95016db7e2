#pragma once

// The events before a failed request -> what an earlier out-of-memory error has left.

#include "analysis/calls/live_block.hpp"
#include "memviz/events.hpp"

#include <cstddef>
#include <span>

namespace memviz {

/// Returns earlier_failure: the blocks in use that a module made before the last error among the first `count` events.
/// Errors that the program does not see are none (caught_errors.hpp).
[[nodiscard]] Cause earlier_failure(const EventTable& events, std::size_t count, std::span<const LiveBlock> blocks,
                                    CallLineFinder& finder);

} // namespace memviz
