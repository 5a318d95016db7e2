#pragma once

// The accounts of a recording -> a line for the person who looks at its end when the story is elsewhere.

#include "memviz/replay.hpp"

#include <string>
#include <vector>

namespace memviz::cli {

/// One sentence for each device that ran out of memory, or whose peak is far above what is alive at the end.
[[nodiscard]] std::vector<std::string> end_hints(const std::vector<DeviceStats>& devices);

} // namespace memviz::cli
