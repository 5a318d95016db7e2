#pragma once

// A line of code -> its callers: the user's own frames above it in its largest stack.

#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/tree.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz::render {

/// Returns for each of the first `count` lines "‹ forward model.py:41 ‹ main train.py:10", nearest caller first, at
/// most a few of them; "" for a line without a frame, or whose stack has no other frame of the user's own.
[[nodiscard]] std::vector<std::string> callers_of(const std::vector<UserLine>& lines, std::size_t count,
                                                  const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                                  const FrameTree& tree);

} // namespace memviz::render
