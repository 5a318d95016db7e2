#pragma once

// A tree and a budget in bytes -> the finest picture that is no larger.

#include "graph/layout.hpp"

#include "memviz/frames.hpp"
#include "memviz/svg.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace memviz::render {

/// Sets the next coarser layout; returns false if there is none.
[[nodiscard]] inline bool make_coarser(LayoutOptions& layout) {
  constexpr std::uint32_t kFewestRows = 8;
  if (layout.min_share > 1) return false;
  layout.min_share *= 1.5;
  // Merging narrow boxes does not make a deep graph smaller.
  if (layout.min_share > 0.01) layout.max_rows = std::max(kFewestRows, layout.max_rows / 2);
  return true;
}

/// Returns an estimate of what the boxes take at least, which avoids drawing what cannot fit: the names of frames are
/// in their tooltips.
template <class Weight>
[[nodiscard]] std::size_t least_bytes(const Layout<Weight>& layout, const Tree<Weight>& tree,
                                      const FrameTable& frames) {
  constexpr std::size_t kMostOfName = 1000;
  std::size_t bytes = layout.boxes.size() * 400;
  for (const Box<Weight>& box : layout.boxes) {
    const auto* const frame = std::get_if<FrameId>(&tree[box.first].key);
    if (box.kind == BoxKind::node && frame != nullptr) bytes += frames.name(*frame, kMostOfName).size();
  }
  return bytes;
}

/// Draws the whole picture with `draw` from coarser and coarser layouts until it fits.
template <class Weight, class Draw>
[[nodiscard]] std::string draw_within_budget(const Tree<Weight>& tree, const FrameTable& frames,
                                             const std::vector<CodeOrigin>& origins, const SvgOptions& options,
                                             const Draw& draw) {
  constexpr double kLeastWidth = 0.2 / 1144; // initial minimum width of a box: a fifth of a pixel
  std::size_t least_box_bytes = 0;           // an estimate from pictures that did not fit
  // The smallest number of boxes that was drawn and did not fit: a coarser layout with as many boxes would be as large.
  std::size_t too_many_boxes = std::numeric_limits<std::size_t>::max();
  const double least_share = std::max(kLeastWidth, options.min_percent / 100);
  LayoutOptions layout{options.fold ? Fold::tall : Fold::nothing, least_share, 1000};
  for (;;) {
    const Layout<Weight> boxes = lay_out(tree, origins, layout);
    const bool may_fit = boxes.boxes.size() < too_many_boxes &&
                         boxes.boxes.size() * least_box_bytes <= options.max_bytes &&
                         least_bytes(boxes, tree, frames) <= options.max_bytes;
    LayoutOptions coarser = layout;
    const bool is_coarsest = !make_coarser(coarser);
    if (may_fit || is_coarsest) {
      std::string svg = draw(boxes);
      if (svg.size() <= options.max_bytes || is_coarsest) return svg;
      too_many_boxes = boxes.boxes.size();
      least_box_bytes = std::max(least_box_bytes, svg.size() / (boxes.boxes.size() + 1) * 3 / 4);
    }
    layout = coarser;
  }
}

} // namespace memviz::render
