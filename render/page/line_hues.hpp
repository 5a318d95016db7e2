#pragma once

// Lines of code, or keepers -> hues: those of one picture, or those that several pictures share.

#include "page/palette.hpp"

#include "memviz/frames.hpp"
#include "memviz/svg.hpp"
#include "memviz/tree.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace memviz::render {

/// The meaning of colours, and the lines or keepers with hues; if there are none, the largest have some.
struct ColourChoice {
  ColorBy by = ColorBy::origin;
  std::span<const NodeKey> hued_lines = {};
};

class LineHues {
public:
  /// The first of `lines`, as many as there are hues, get different ones, chosen by `texts`, one for each line.
  LineHues(std::span<const NodeKey> lines, std::vector<std::string> texts);
  /// The same, with the labels of the lines as texts.
  LineHues(const FrameTable& frames, std::span<const NodeKey> lines);

  [[nodiscard]] bool empty() const { return paints_.empty(); }
  /// Returns the hue of a line; null if it has none.
  [[nodiscard]] const Paint* of(const NodeKey& line) const;

private:
  std::map<NodeKey, const Paint*> paints_;
};

} // namespace memviz::render
