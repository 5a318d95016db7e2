#pragma once

// What kinds of memory a device holds -> a table.

#include "memviz/memory_state.hpp"

#include <string>

namespace memviz {

/// A heading and a row a kind, the largest first, with how it is known; "" of a state that has no kinds, or no memory
/// in use on `device`.
[[nodiscard]] std::string kinds_text(const MemoryState& state, DeviceId device);

} // namespace memviz
