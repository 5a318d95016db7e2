#pragma once

// Figures that do not add up -> the actions that were omitted from the recording, as far as the figures show it.
// PyTorch omits what its user chooses: _record_memory_history(skip_actions=[...]), since 2.10.

#include "memviz/memory_state.hpp"

#include <string>

namespace memviz {

// Each returns a clause that begins with "; ", or "" if every action that would explain the figures occurs.

/// Returns the text for allocations that are absent at the end, or when the next one gets their address, and were never
/// freed.
[[nodiscard]] std::string skipped_frees_text(const DeviceFigures& figures);
/// Returns the text for memory in no segment of its moment: there was less of it, or segments have changed since then.
[[nodiscard]] std::string skipped_outside_text(const DeviceFigures& figures);
/// Returns the text for segment events that contradict the segments: for example, one that is allocated, does not exist
/// at the end, and was never freed.
[[nodiscard]] std::string skipped_counterparts_text(const DeviceFigures& figures);

} // namespace memviz
