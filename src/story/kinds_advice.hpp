#pragma once

// The kinds of memory in use -> what to do about them.

#include "memviz/explain.hpp"

#include <string>
#include <vector>

namespace memviz {

/// One sentence for each kind that is much of what was in use, largest first; none where memory was not what was short:
/// the lack of it was caused by pieces, caches or others, or what is reserved is not used. Where a request failed, only
/// those kinds of which half would have been enough, with the figures that show it.
[[nodiscard]] std::vector<std::string> kinds_advice(const DeviceExplanation& device);

} // namespace memviz
