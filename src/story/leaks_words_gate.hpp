#pragma once

// Leaks -> sentences about the steps used to find them.

#include "memviz/leaks.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// "high", "medium" or "low"
[[nodiscard]] std::string_view confidence_word(Confidence confidence);

/// Returns why so few steps give no answer, without a full stop; "" if there are enough.
[[nodiscard]] std::string steps_note(const Recording& recording, const Steps& steps);

/// Returns why the steps are only a guess, without a full stop.
[[nodiscard]] std::string guess_note(const Steps& steps);

/// Returns a sentence, without a full stop, for each device that grows by more than this per step.
[[nodiscard]] std::vector<std::string>
exceeded_texts(const Recording& recording, const std::vector<DeviceLeaks>& devices, std::uint64_t most_bytes);

/// Throws Error if it is unknown whether a device grows by more: a gate that cannot be judged is not passed.
void require_judged(const Recording& recording, const std::vector<DeviceLeaks>& devices, std::uint64_t most_bytes);

} // namespace memviz
