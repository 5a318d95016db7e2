#pragma once

// The segments of one device -> a table for people, a line a segment, with a bar each that shows its use.

#include "memviz/memory_state.hpp"

#include <cstdint>
#include <string>

namespace memviz {

/// Headed by a line that counts them: the largest segments of `device` with address, size, pool, stream, kind and bar.
[[nodiscard]] std::string segment_map(const MemoryState& state, DeviceId device);

} // namespace memviz
