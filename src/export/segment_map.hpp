#pragma once

// The segments of one device -> a table for people, one line per segment, each with a bar that shows its use.

#include "memviz/memory_state.hpp"

#include <string>

namespace memviz {

/// Returns a line with their number, then the largest segments of `device` with address, size, pool, stream, kind and
/// bar.
[[nodiscard]] std::string segment_map(const MemoryState& state, DeviceId device);

} // namespace memviz
