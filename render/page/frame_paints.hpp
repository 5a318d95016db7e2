#pragma once

// Frames -> their colours in a flame graph: by the origin of their code, or the user's own by their line.

#include "page/line_hues.hpp"
#include "page/palette.hpp"

#include "memviz/flame.hpp"
#include "memviz/label.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memviz::render {

namespace paint {
/// The paint of frames that are not the user's own, if lines have colours.
inline constexpr Paint kOtherCode{"elsewhere", "#e9e6de", "#41454d", "#2c2b28", "#d5d3cc"};
} // namespace paint

class FramePaints {
public:
  /// Paints by origin. All arguments must outlive this object.
  FramePaints(const FrameTable& frames, const std::vector<CodeOrigin>& origins) : frames_(frames), origins_(origins) {}
  /// Paints by these lines, and all other frames alike; code that a line calls has the colour of the line.
  FramePaints(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const LineHues& hues);
  /// Paints by line. The largest of `users` get different hues; the hue of every other line depends on its text.
  FramePaints(const FrameTable& frames, const std::vector<CodeOrigin>& origins, std::span<const UserLine> users);

  [[nodiscard]] bool are_lines() const { return !by_frame_.empty(); }
  /// Whether any line has a hue.
  [[nodiscard]] bool has_hues() const { return are_lines() && !(has_chosen_lines_ && chosen_frames_ == 0); }
  [[nodiscard]] const Paint& of(FrameId frame) const;
  /// Whether a frame has the paint of its caller: code that is not the user's, if only some lines have hues.
  [[nodiscard]] bool is_of_caller(FrameId frame) const;
  /// Returns the paint of a node of one snapshot.
  [[nodiscard]] const Paint& of(const NodeKey& key) const;

private:
  const FrameTable& frames_;
  const std::vector<CodeOrigin>& origins_;
  mutable std::vector<const Paint*> by_frame_; ///< by line; null if not requested yet
  bool has_chosen_lines_ = false;
  std::size_t chosen_frames_ = 0; ///< of the chosen lines
};

} // namespace memviz::render
