#pragma once

// All that explain() knows of a device -> the causes of a failed request, or of what a program holds.

#include "analysis/calls/live_block.hpp"
#include "memviz/explain.hpp"

#include <span>
#include <vector>

namespace memviz {

/// Returns the causes that hold at least a tenth of the memory in use and requested; mistakes first, then what every
/// program of its kind needs, each largest first. Without a request: what earlier passes and steps have left, or sizes
/// that vary. `blocks`: those in use at the request, as live_blocks() returns them; unused without one.
[[nodiscard]] std::vector<Cause> find_causes(const MemoryState& state, const DeviceExplanation& device,
                                             std::span<const LiveBlock> blocks, CallLineFinder& finder);

} // namespace memviz
