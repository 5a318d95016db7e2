#pragma once

// Answers of what_if() -> sentences.

#include "memviz/explain.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz {

/// A name in a sentence is cut after this many columns.
inline constexpr std::size_t kNameColumns = 160;

[[nodiscard]] std::string answer_text(const MemoryState& state, const DeviceExplanation& device, const WhatIf& answer);
/// How far the answers can be trusted.
[[nodiscard]] std::string fidelity_text(const Fidelity& fidelity);
/// What an answer supports; may be empty.
[[nodiscard]] std::vector<std::string> advice_text(const MemoryState& state, const DeviceExplanation& device);

} // namespace memviz
