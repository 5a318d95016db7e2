#pragma once

// All that explain() knows of a device -> the causes of a failed request, or of what a program holds.

#include "analysis/calls/call_lines.hpp"
#include "memviz/explain.hpp"

#include <vector>

namespace memviz {

/// Returns the causes that hold at least a tenth of the memory in use and requested; mistakes first, then what every
/// program of its kind needs, each largest first. Without a request: what earlier passes and steps have left, or sizes
/// that vary.
[[nodiscard]] std::vector<Cause> find_causes(const MemoryState& state, const DeviceExplanation& device,
                                             CallLineFinder& finder);

} // namespace memviz
