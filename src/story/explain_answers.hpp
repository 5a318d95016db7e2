#pragma once

// Answers of what_if() -> sentences.

#include "memviz/explain.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// The columns after which a name in a sentence is cut.
inline constexpr std::size_t kNameColumns = 160;

[[nodiscard]] std::string answer_text(const MemoryState& state, const DeviceExplanation& device, const WhatIf& answer);
/// Returns how far the answers can be trusted.
[[nodiscard]] std::string fidelity_text(const Fidelity& fidelity);
/// "max_split_size_mb:128".
[[nodiscard]] std::string split_setting(const WhatIf& answer);
/// "store cache.py:55 (1.22 GiB, 3 blocks), ...": the lines of the blocks in without_blocks.
[[nodiscard]] std::string lines_in_the_way(const MemoryState& state, const DeviceExplanation& device);

} // namespace memviz
