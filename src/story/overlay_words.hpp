#pragma once

// Two runs, drawn over each other -> sentences.

#include "memviz/overlay.hpp"

#include <string>
#include <vector>

namespace memviz {

/// "The peak grew by 96.0 MiB (16.1 %): 597 MiB before, 693 MiB after"
[[nodiscard]] std::string overlay_headline(const Overlay& overlay);
/// "They differ most in step 3: at most 597 MiB before and 693 MiB after live there, 96.0 MiB more."
[[nodiscard]] std::string overlay_answer(const Overlay& overlay);
/// "GPU 0", "5,678 events", "12 steps", "4.56 s", "end 192 MiB"
[[nodiscard]] std::vector<std::string> overlay_facts(const OverlaySide& side);
/// Returns notes on how the events of the two sides are aligned.
[[nodiscard]] std::vector<std::string> overlay_notes(const Overlay& overlay);
/// The place at a fraction of the axis, from 0 to 1: "step 3", "event 1,234", "4.56 s".
[[nodiscard]] std::string overlay_place(const Overlay& overlay, double share);

} // namespace memviz
