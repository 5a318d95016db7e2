#pragma once

// A comparison by line -> how much of its differences only moved: the same functions of the same files hold it on both
// sides, at other lines. An edit near the top of a file moves everything below it.

#include "memviz/frames.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

struct MovedLines {
  std::uint64_t moved_bytes = 0;     ///< on one side; the other holds the same amount
  std::uint64_t differing_bytes = 0; ///< the surplus of either side, line by line: the smaller of both sums
  std::uint64_t all_bytes = 0;       ///< with a stack, on the larger side

  /// Whether to compare by function, because most of the differences only moved and the amount matters.
  [[nodiscard]] bool are_most() const;
};

/// `is_in_both`: by FrameId, whether both files contain the frame, live or not. Such a frame was not edited:
/// other lines ran, and nothing moved.
[[nodiscard]] MovedLines moved_lines(const FrameTable& frames, const DiffTree& tree,
                                     const std::vector<bool>& is_in_both);

} // namespace memviz
