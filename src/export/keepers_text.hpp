#pragma once

// Keepers of the memory of a device -> a table of paths as text.

#include "memviz/keeper_answers.hpp"

#include <string>

namespace memviz {

/// Returns a row for each path that keeps most, with its share of the device's bytes in use and its blocks, below a
/// heading; "" if nothing is in use.
[[nodiscard]] std::string keepers_table(const FrameTable& frames, const DeviceKeepers& keepers);

} // namespace memviz
