#pragma once

// Active blocks of a device -> for each line that holds them, who calls it.

#include "analysis/calls/call_lines.hpp"
#include "analysis/tree/user_lines.hpp"

#include <map>

namespace memviz {

/// Returns callers_of_lines() with the names of lines and calls, which devices share.
[[nodiscard]] std::map<NodeKey, CalledLine> callers_of_lines(const MemoryState& state, DeviceId device,
                                                             UserLines& lines, CallLineFinder& calls);

} // namespace memviz
