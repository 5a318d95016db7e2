#include "analysis/compare/moved_lines.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace memviz {
namespace {

/// The bytes below the lines of one function that only one file has, called from one place.
struct Sides {
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
};

class MoveSearch {
public:
  MoveSearch(const FrameTable& frames, const DiffTree& tree, const std::vector<bool>& is_in_both)
      : frames_(frames), tree_(tree), is_in_both_(is_in_both) {}

  /// Sums the callees of one node. Memory below a line that only one file has is on one side only, so no byte counts
  /// twice.
  [[nodiscard]] std::uint64_t moved_below(const TreeNode<Change>& node) const {
    std::map<std::pair<StringId, StringId>, Sides> functions;
    for (NodeId id = node.first_child; id != kNoNode; id = tree_[id].next_sibling) {
      const TreeNode<Change>& child = tree_[id];
      const auto* alone = std::get_if<FrameId>(&child.key);
      if (alone == nullptr || is_in_both_[alone->value]) continue;
      const Frame& frame = frames_.frame(*alone);
      Sides& sides = functions[{frame.filename, frame.name}];
      sides.before_bytes += child.total.before.bytes;
      sides.after_bytes += child.total.after.bytes;
    }
    std::uint64_t moved_bytes = 0;
    for (const auto& [function, sides] : functions)
      moved_bytes += std::min(sides.before_bytes, sides.after_bytes);
    return moved_bytes;
  }

private:
  const FrameTable& frames_;
  const DiffTree& tree_;
  const std::vector<bool>& is_in_both_;
};

} // namespace

bool MovedLines::are_most() const {
  constexpr std::uint64_t kTrifle = 10; // less than 1/10 of all
  return moved_bytes > 0 && moved_bytes >= differing_bytes - moved_bytes && moved_bytes >= all_bytes / kTrifle;
}

MovedLines moved_lines(const FrameTable& frames, const DiffTree& tree, const std::vector<bool>& is_in_both) {
  const MoveSearch search(frames, tree, is_in_both);
  MovedLines result;
  Change all;
  std::uint64_t only_before_bytes = 0;
  std::uint64_t only_after_bytes = 0;
  for (const TreeNode<Change>& node : tree.nodes) {
    result.moved_bytes += search.moved_below(node);
    if (!is_frame(node.key)) continue;
    all += node.self;
    const std::uint64_t common_bytes = std::min(node.self.before.bytes, node.self.after.bytes);
    only_before_bytes += node.self.before.bytes - common_bytes;
    only_after_bytes += node.self.after.bytes - common_bytes;
  }
  result.differing_bytes = std::min(only_before_bytes, only_after_bytes);
  result.all_bytes = std::max(all.before.bytes, all.after.bytes);
  return result;
}

} // namespace memviz
