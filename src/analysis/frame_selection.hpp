#pragma once

// --frames, --hide and --focus -> which frames and stacks of one snapshot take part in a tree. Each frame is tested
// once.

#include "memviz/flame.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

class FrameSelection {
public:
  /// Throws UsageError for an expression that is not RE2.
  FrameSelection(const FrameTable& frames, const TreeOptions& options);

  [[nodiscard]] bool keeps(FrameId frame) const { return keeps_[frame.value]; }
  /// Whether a frame of the stack, hidden or not, matches --focus; true for every stack without --focus.
  [[nodiscard]] bool is_in_focus(StackId stack) const;

private:
  const FrameTable& frames_;
  bool has_focus_;
  std::vector<bool> keeps_;
  std::vector<bool> matches_focus_;
};

} // namespace memviz
