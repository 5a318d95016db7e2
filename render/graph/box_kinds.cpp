#include "graph/box_kinds.hpp"

#include <cstddef>
#include <limits>

namespace memviz::render {
namespace {

constexpr std::uint32_t kNoBox = std::numeric_limits<std::uint32_t>::max();

/// The boxes in which nodes are drawn.
struct BoxOfNode {
  std::vector<std::uint32_t> of;           ///< by node; kNoBox for one that is merged with others
  std::vector<std::uint32_t> merged_below; ///< by box: its child that merges others
};

BoxOfNode boxes_of(const FrameTree& tree, const Layout<Amount>& layout) {
  BoxOfNode boxes{std::vector(tree.nodes.size(), kNoBox), std::vector(layout.boxes.size(), kNoBox)};
  for (std::uint32_t i = 0; i < layout.boxes.size(); ++i) {
    const Box<Amount>& box = layout.boxes[i];
    if (box.kind == BoxKind::smaller || box.kind == BoxKind::deeper) {
      boxes.merged_below[box.parent] = i;
      continue;
    }
    for (NodeId id = box.first;; id = tree[id].first_child) {
      boxes.of[id.value] = i;
      if (id == box.last) break;
    }
  }
  return boxes;
}

/// Parents come before their children, so one pass gives each merged node the box that merges it, and everything below
/// a squeezed box that box.
void fill_in(BoxOfNode& boxes, const FrameTree& tree, const Layout<Amount>& layout) {
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    if (boxes.of[i] != kNoBox) continue;
    const std::uint32_t above = boxes.of[tree.nodes[i].parent.value];
    const bool is_merged_first = above < layout.boxes.size() && boxes.merged_below[above] != kNoBox;
    boxes.of[i] = is_merged_first ? boxes.merged_below[above] : above;
  }
}

} // namespace

std::vector<KindShares> kinds_of_boxes(const FrameTree& tree, const Layout<Amount>& layout,
                                       std::span<const KindAt> kinds) {
  std::vector<KindShares> shares(layout.boxes.size());
  if (kinds.empty() || shares.empty()) return shares;
  BoxOfNode boxes = boxes_of(tree, layout);
  fill_in(boxes, tree, layout);
  for (const KindAt& kind : kinds)
    add_share(shares[boxes.of[kind.node.value]], kind.share);
  for (std::size_t i = shares.size(); i-- > 1;)
    add_shares(shares[layout.boxes[i].parent], shares[i]);
  return shares;
}

} // namespace memviz::render
