#pragma once

// The answers of what_if() and the figures of an explanation -> advice.

#include "memviz/explain.hpp"

#include <string>
#include <vector>

namespace memviz {

/// Returns the advice, most helpful first; may be empty. Whether advice_text() contains the answer.
[[nodiscard]] bool is_advised(const DeviceExplanation& device, const WhatIf& answer);
[[nodiscard]] std::vector<std::string> advice_text(const MemoryState& state, const DeviceExplanation& device);

} // namespace memviz
