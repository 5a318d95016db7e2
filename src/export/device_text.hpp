#pragma once

// Totals and accounts of one device -> tables for people.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <string>

namespace memviz {

/// Returns the reserved memory and the memory in use at the end, by pool and stream if there are several, and the sum
/// that leads there.
[[nodiscard]] std::string device_text(const MemoryState& state, const DeviceState& device_state);

} // namespace memviz
