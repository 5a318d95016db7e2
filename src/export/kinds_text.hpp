#pragma once

// The kinds of memory of a device -> a table.

#include "memviz/kinds.hpp"
#include "memviz/memory_state.hpp"

#include <string>

namespace memviz {

/// A heading and a row a kind, the largest first, with what it was at the peak where that is another moment, and how it
/// is known; "" for a state that has no kinds, or a device without memory in use.
[[nodiscard]] std::string kinds_text(const MemoryState& state, const DeviceState& device_state,
                                     const KindsByDevice& peak_kinds);

} // namespace memviz
