#pragma once

// Answers of what_if() -> sentences.

#include "memviz/explain.hpp"

#include <string>
#include <vector>

namespace memviz {

[[nodiscard]] std::string answer_text(const Snapshot& state, const Replay& replay, const DeviceExplanation& device,
                                      const WhatIf& answer);
/// How far the answers can be trusted.
[[nodiscard]] std::string fidelity_text(const Fidelity& fidelity);
/// What an answer supports; may be empty.
[[nodiscard]] std::vector<std::string> advice_text(const Snapshot& state, const Replay& replay,
                                                   const DeviceExplanation& device);
/// "train step train.py:12 (1.20 GiB, 3 blocks), ...": whose blocks these are, largest first.
[[nodiscard]] std::string lines_of_blocks(const Snapshot& state, const Replay& replay, std::uint32_t device,
                                          const std::vector<std::uint32_t>& blocks);

} // namespace memviz
