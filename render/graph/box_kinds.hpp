#pragma once

// Kinds of a tree's memory -> those of the boxes drawn for it.

#include "graph/layout.hpp"

#include "memviz/flame.hpp"

#include <span>
#include <vector>

namespace memviz::render {

/// The kinds of a tree's memory, as far as they are known, and whether boxes are coloured by kind.
struct TreeKinds {
  std::span<const KindAt> at = {};
  bool are_colours = false;
};

/// Returns the kinds by box, including everything below it; a box of merged ones has theirs.
[[nodiscard]] std::vector<KindShares> kinds_of_boxes(const FrameTree& tree, const Layout<Amount>& layout,
                                                     std::span<const KindAt> kinds);

} // namespace memviz::render
