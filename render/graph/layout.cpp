#include "graph/layout.hpp"

#include <algorithm>
#include <variant>

namespace memviz::render {
namespace {

/// A run of two frames is easier to read as two boxes.
constexpr std::uint32_t kShortestRun = 3;
/// A longer run becomes several boxes, so that no tooltip grows without bound.
constexpr std::uint32_t kLongestRun = 256;

bool can_be_squeezed(const NodeKey& key) {
  return key == NodeKey(BlockState::inactive) || key == NodeKey(Pseudo::unaccounted) ||
         key == NodeKey(Pseudo::not_focused);
}

template <class Weight> class Layouter {
public:
  Layouter(const Tree<Weight>& tree, const std::vector<CodeOrigin>& origins, const LayoutOptions& options)
      : tree_(tree), origins_(origins), options_(options) {}

  Layout<Weight> run() {
    squeeze();
    measure();
    layout_.units = units_.front();
    if (layout_.units == 0) return std::move(layout_);
    if (options_.min_share >= 1)
      min_units_ = layout_.units;
    else
      min_units_ += static_cast<std::uint64_t>(options_.min_share * static_cast<double>(layout_.units));
    place();
    if (options_.fold == Fold::tall && layout_.rows > kTallRows) {
      folds_all_ = true;
      layout_.boxes.clear();
      layout_.rows = 0;
      place();
    }
    return std::move(layout_);
  }

private:
  /// Decides whether squeezing is needed, and by which factor.
  void squeeze() {
    double squeezed = 0;
    for (const TreeNode<Weight>& node : tree_.nodes)
      if (can_be_squeezed(node.key)) squeezed += static_cast<double>(width_bytes(node.total));
    const auto all = static_cast<double>(width_bytes(tree_.root().total));
    const double rest = all - squeezed;
    if (squeezed <= kSqueezeAbove * all || rest <= 0) return;
    layout_.is_squeezed = true;
    squeeze_factor_ = rest / squeezed * kSqueezeTo / (1 - kSqueezeTo);
  }

  [[nodiscard]] bool is_squeezed(const NodeKey& key) const { return layout_.is_squeezed && can_be_squeezed(key); }

  /// Sums units and stacks of every node, from the leaves up: parents come before their children.
  void measure() {
    units_.assign(tree_.nodes.size(), 0);
    stacks_.assign(tree_.nodes.size(), 0);
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      const TreeNode<Weight>& node = tree_.nodes[i];
      units_[i] += width_bytes(node.self);
      if (width_bytes(node.self) > 0) ++stacks_[i];
      if (is_squeezed(node.key)) units_[i] = squeezed_units(width_bytes(node.total));
      if (node.parent == kNoNode) continue;
      units_[node.parent.value] += units_[i];
      stacks_[node.parent.value] += stacks_[i];
    }
  }

  [[nodiscard]] std::uint64_t squeezed_units(std::uint64_t bytes) const {
    if (bytes == 0) return 0;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(bytes) * squeeze_factor_));
  }

  /// Returns the only child, if a node has exactly one and no bytes of its own.
  [[nodiscard]] NodeId only_child(NodeId id) const {
    const TreeNode<Weight>& node = tree_[id];
    if (width_bytes(node.self) != 0 || node.first_child == kNoNode) return kNoNode;
    return tree_[node.first_child].next_sibling == kNoNode ? node.first_child : kNoNode;
  }

  [[nodiscard]] bool can_be_folded(NodeId id) const {
    const auto* frame = std::get_if<FrameId>(&tree_[id].key);
    return frame != nullptr && (folds_all_ || origins_[frame->value] != CodeOrigin::user);
  }

  [[nodiscard]] Box<Weight> box_of(NodeId id) const {
    Box<Weight> box{BoxKind::node,
                    id,
                    id,
                    0,
                    0,
                    0,
                    units_[id.value],
                    tree_[id].total,
                    stacks_[id.value],
                    is_squeezed(tree_[id].key)};
    if (options_.fold == Fold::nothing || !can_be_folded(id)) return box;
    std::uint32_t frames = 1;
    NodeId last = id;
    for (NodeId next = only_child(id); next != kNoNode && can_be_folded(next) && frames < kLongestRun;
         next = only_child(next)) {
      last = next;
      ++frames;
    }
    if (frames < kShortestRun) return box;
    box.kind = BoxKind::run;
    box.last = last;
    return box;
  }

  void place() {
    waiting_.push_back(box_of(kRoot));
    while (!waiting_.empty()) {
      const Box<Weight> box = waiting_.back();
      waiting_.pop_back();
      layout_.boxes.push_back(box);
      layout_.rows = std::max(layout_.rows, box.row + 1);
      const bool has_own_children = box.kind == BoxKind::node || box.kind == BoxKind::run;
      if (has_own_children && !box.is_squeezed) queue_children(static_cast<std::uint32_t>(layout_.boxes.size() - 1));
    }
  }

  /// Returns the children to draw, widest first, then squeezed ones, then one box for all that are too narrow.
  void queue_children(std::uint32_t parent) {
    const Box<Weight> above = layout_.boxes[parent];
    const bool is_last_row = above.row + 2 >= options_.max_rows;
    const std::size_t first_queued = waiting_.size();
    Box<Weight> merged{};
    merged.kind = is_last_row ? BoxKind::deeper : BoxKind::smaller;
    merged.first = merged.last = above.last;
    std::uint64_t x_units = above.x_units;
    const auto queue = [&](Box<Weight> box) {
      box.parent = parent;
      box.row = above.row + 1;
      box.x_units = x_units;
      x_units += box.width_units;
      waiting_.push_back(box);
    };
    for (const bool squeezed : {false, true}) {
      for (NodeId id = tree_[above.last].first_child; id != kNoNode; id = tree_[id].next_sibling) {
        if (is_squeezed(tree_[id].key) != squeezed) continue;
        if (units_[id.value] >= min_units_ && !is_last_row)
          queue(box_of(id));
        else
          merge(merged, id);
      }
    }
    if (merged.width_units > 0) queue(merged);
    // The last one queued is placed first, so the leftmost must be queued last.
    std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(first_queued), waiting_.end());
  }

  void merge(Box<Weight>& merged, NodeId id) const {
    merged.width_units += units_[id.value];
    merged.total += tree_[id].total;
    merged.stacks += stacks_[id.value];
  }

  const Tree<Weight>& tree_;
  const std::vector<CodeOrigin>& origins_;
  const LayoutOptions& options_;
  bool folds_all_ = false;
  double squeeze_factor_ = 1;
  std::uint64_t min_units_ = 1;
  std::vector<std::uint64_t> units_;
  std::vector<std::uint64_t> stacks_;
  std::vector<Box<Weight>> waiting_; ///< last one first
  Layout<Weight> layout_;
};

} // namespace

template <class Weight>
Layout<Weight> lay_out(const Tree<Weight>& tree, const std::vector<CodeOrigin>& origins, const LayoutOptions& options) {
  return Layouter<Weight>(tree, origins, options).run();
}

template Layout<Amount> lay_out(const FrameTree&, const std::vector<CodeOrigin>&, const LayoutOptions&);
template Layout<Change> lay_out(const DiffTree&, const std::vector<CodeOrigin>&, const LayoutOptions&);

} // namespace memviz::render
