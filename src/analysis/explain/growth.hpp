#pragma once

// The events before a moment -> the memory taken since live memory was last low.

#include "analysis/explain/state_lines.hpp"
#include "memviz/explain.hpp"

namespace memviz {

/// Returns the growth of a device whose events `state` holds; empty if it has no events up to the moment.
[[nodiscard]] Growth growth_before(const MemoryState& state, const DeviceState& device_state, StateLines& names);

} // namespace memviz
