#pragma once

// The kinds of memory in use -> advice on reducing them.

#include "memviz/explain.hpp"

#include <string>
#include <vector>

namespace memviz {

/// Returns one sentence for each kind that is a large part of the memory in use, largest first. Returns none if memory
/// as such was not short, because fragmentation, caches or other processes caused the failure, or because reserved
/// memory is not used. If a request failed, covers only kinds of which half would have been enough, with the figures
/// that show it.
[[nodiscard]] std::vector<std::string> kinds_advice(const DeviceExplanation& device);

} // namespace memviz
