#pragma once

// The events before a moment -> what was taken since live memory was last low.

#include "analysis/explain/line_names.hpp"
#include "memviz/explain.hpp"

namespace memviz {

/// Of a device whose events `state` holds; nothing where it has none up to the moment.
[[nodiscard]] Growth growth_before(const MemoryState& state, const DeviceState& device_state, LineNames& names);

} // namespace memviz
