#pragma once

// Keepers of the memory of a device -> tables as text.

#include "memviz/keeper_answers.hpp"

#include <string>

namespace memviz {

/// Returns the largest variables, and the rest of the memory in use by why no variable is named; "" if there is none.
[[nodiscard]] std::string keepers_text(const FrameTable& frames, const DeviceKeepers& keepers);

/// Returns the paths from a variable that keep most, and the rest of the memory in use; "" if there is none.
[[nodiscard]] std::string keeper_paths_text(const FrameTable& frames, const DeviceKeepers& keepers);

} // namespace memviz
