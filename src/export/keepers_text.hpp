#pragma once

// Keepers of a device -> a table for `stats`.

#include "memviz/keeper_answers.hpp"

#include <string>

namespace memviz {

/// Returns the largest variables, and the rest of the memory in use by why no variable is named; "" if there is none.
[[nodiscard]] std::string keepers_text(const FrameTable& frames, const DeviceKeepers& keepers);

} // namespace memviz
