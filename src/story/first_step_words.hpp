#pragma once

// The memory that a first training step still needs -> sentences.

#include "memviz/explain.hpp"

#include <string>
#include <vector>

namespace memviz {

/// Says how much is still to come, and whether the device has room for it.
[[nodiscard]] std::string first_step_text(const FirstStep& step);
/// Returns what a step still lacks without a cause, with the part of the batch that would be enough; "" if nothing is
/// known, or nothing is missing.
[[nodiscard]] std::string still_needed_text(const DeviceExplanation& device, const Cause& cause);
/// Returns a sentence for each change that is not enough.
[[nodiscard]] std::vector<std::string> short_levers_text(const DeviceExplanation& device);
/// Returns advice with its gain; "" for settings, which a replay has sentences about.
[[nodiscard]] std::string lever_text(const LeverGain& gain);
/// Returns the call of `memviz rehearse` that shows whether a change is enough.
[[nodiscard]] std::string rehearse_text(const DeviceExplanation& device);

} // namespace memviz
