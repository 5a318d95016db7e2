#pragma once

// A failed request and all that explain() knows of its device -> the causes.

#include "analysis/causes/call_lines.hpp"
#include "memviz/explain.hpp"

#include <vector>

namespace memviz {

/// Returns the causes that hold at least a tenth of the memory in use and requested; mistakes first, then what every
/// program of its kind needs, each largest first. Empty without a request.
[[nodiscard]] std::vector<Cause> find_causes(const MemoryState& state, const DeviceExplanation& device,
                                             CallLineFinder& finder);

} // namespace memviz
