#pragma once

// The code of a step of a path -> text.

#include "memviz/frames.hpp"
#include "memviz/keeper_step.hpp"

#include <string>

namespace memviz {

/// "forward model.py:12"; without what is unknown.
[[nodiscard]] std::string code_text(const FrameTable& frames, const KeeperStep& code);

} // namespace memviz
