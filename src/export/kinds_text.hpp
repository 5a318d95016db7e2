#pragma once

// The kinds of memory of a device -> a table.

#include "memviz/kinds.hpp"
#include "memviz/memory_state.hpp"

#include <string>

namespace memviz {

/// Returns a heading and one row per kind, the largest first, with its bytes at the peak if that is another moment, and
/// its evidence; "" for a state without kinds, or a device without memory in use.
[[nodiscard]] std::string kinds_text(const MemoryState& state, const DeviceState& device_state,
                                     const KindsByDevice& peak_kinds);

} // namespace memviz
