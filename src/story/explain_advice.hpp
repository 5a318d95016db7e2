#pragma once

// The answers of what_if() and the figures of an explanation -> what to do.

#include "memviz/explain.hpp"

#include <string>
#include <vector>

namespace memviz {

/// Returns the advice, the most helpful first; may be empty.
/// Whether advice_text() has the answer.
[[nodiscard]] bool is_advised(const DeviceExplanation& device, const WhatIf& answer);
[[nodiscard]] std::vector<std::string> advice_text(const MemoryState& state, const DeviceExplanation& device);

} // namespace memviz
