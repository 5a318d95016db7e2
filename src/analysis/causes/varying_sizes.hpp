#pragma once

// The sizes that lines ask for, call after call -> whether ever new sizes explain memory that is reserved and free.

#include "analysis/calls/call_lines.hpp"
#include "memviz/causes.hpp"
#include "memviz/memory_state.hpp"

#include <optional>

namespace memviz {

/// Returns varying_sizes if at least a fifth of reserved memory is beyond the most that was requested at once, and most
/// bytes of large allocations are of stacks that still ask for new sizes in the second half of their allocations.
[[nodiscard]] std::optional<Cause> varying_sizes(const MemoryState& state, const DeviceState& device_state,
                                                 CallLineFinder& finder);

} // namespace memviz
