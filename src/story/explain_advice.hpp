#pragma once

// What the answers of what_if() and the figures of an explanation support -> what to do.

#include "memviz/explain.hpp"

#include <string>
#include <vector>

namespace memviz {

/// What helps most comes first; may be empty.
[[nodiscard]] std::vector<std::string> advice_text(const MemoryState& state, const DeviceExplanation& device);

} // namespace memviz
