#pragma once

// A comparison by line -> how much of what differs in it only moved: the same functions of the same files hold it on
// both sides, at other lines. An edit near the top of a file does that to all that is below.

#include "memviz/frames.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

struct MovedLines {
  std::uint64_t moved_bytes = 0;     ///< of one side; the other holds as many
  std::uint64_t differing_bytes = 0; ///< what one side has more than the other, line by line: the smaller of both sums
  std::uint64_t all_bytes = 0;       ///< with a stack, of the larger side

  /// Whether to compare by function: most of what differs only moved, and that is not a trifle.
  [[nodiscard]] bool are_most() const;
};

/// `is_in_both` says by FrameId whether both files know the frame, alive or not. What both know no one edited: other
/// lines ran, and nothing moved.
[[nodiscard]] MovedLines moved_lines(const FrameTable& frames, const DiffTree& tree,
                                     const std::vector<bool>& is_in_both);

} // namespace memviz
