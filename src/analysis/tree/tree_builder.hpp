#pragma once

// Paths with weights -> Tree. Paths with a common beginning share its nodes.

#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/key_hash.hpp"
#include "base/hash.hpp"
#include "base/hash_table.hpp"
#include "memviz/error.hpp"
#include "memviz/tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

template <class Weight> class TreeBuilder {
public:
  /// Builds a tree for paths of one or several files with this many bytes, which bound the tree.
  explicit TreeBuilder(std::uint64_t file_bytes)
      : max_nodes_(std::min<std::uint64_t>(kNoNode.value, (kFreeTreeBytes + kTreeBytesPerByte * file_bytes) /
                                                              sizeof(TreeNode<Weight>))) {
    nodes_.emplace_back();
  }

  /// Returns the node at the end of `path`, below the root; the caller may change its weight until the next call.
  /// Throws Error if the tree would be out of proportion to the file.
  TreeNode<Weight>& at(std::span<const NodeKey> path) { return at(id_at(path)); }
  TreeNode<Weight>& at(NodeId node) { return nodes_[node.value]; }

  /// Returns the same node by its id, which is also its id in the tree.
  [[nodiscard]] NodeId id_at(std::span<const NodeKey> path) {
    std::uint32_t node = 0;
    for (const NodeKey& key : path)
      node = child(node, key);
    return {node};
  }

  /// Sums the totals upward and puts siblings in drawing order.
  [[nodiscard]] Tree<Weight> finish(const FrameOrder& order) && {
    table_ = {};
    for (auto& node : nodes_)
      node.total = node.self;
    // Parents are before their children, so one pass from the back sees every child before its parent.
    for (std::size_t i = nodes_.size(); i-- > 1;)
      nodes_[nodes_[i].parent.value].total += nodes_[i].total;

    std::vector<std::uint32_t> siblings(nodes_.size() - 1);
    for (std::uint32_t i = 0; i < siblings.size(); ++i)
      siblings[i] = i + 1;
    std::ranges::sort(siblings, [&](std::uint32_t left, std::uint32_t right) {
      const TreeNode<Weight>& one = nodes_[left];
      const TreeNode<Weight>& other = nodes_[right];
      if (one.parent != other.parent) return one.parent < other.parent;
      if (width_bytes(one.total) != width_bytes(other.total)) return width_bytes(one.total) > width_bytes(other.total);
      return order.is_before(one.key, other.key);
    });
    for (std::size_t i = siblings.size(); i-- > 0;) {
      NodeId& first = nodes_[nodes_[siblings[i]].parent.value].first_child;
      nodes_[siblings[i]].next_sibling = first;
      first = {siblings[i]};
    }
    return {std::move(nodes_)};
  }

private:
  // The maximum number of nodes. A file may let many segments share one very deep stack. This allows 262,144 nodes,
  // plus one for every four bytes of a snapshot or seven of two; among real ones the worst has one for every 17 bytes
  // with all levels and frames, 29,768 in all.
  static constexpr std::uint64_t kTreeBytesPerByte = 18;
  static constexpr std::uint64_t kFreeTreeBytes = std::uint64_t{72} << 18U;

  [[nodiscard]] static std::size_t hash_of(std::uint32_t parent, const NodeKey& key) {
    return static_cast<std::size_t>(hash_with(mixed(hash_secret(), parent), key));
  }

  std::uint32_t child(std::uint32_t parent, const NodeKey& key) {
    std::uint32_t& slot = table_.place(
        hash_of(parent, key),
        [&](std::uint32_t number) { return nodes_[number].parent.value == parent && nodes_[number].key == key; },
        [this](std::uint32_t number) { return hash_of(nodes_[number].parent.value, nodes_[number].key); });
    if (slot != 0) return slot;
    if (nodes_.size() >= max_nodes_) {
      throw Error(fmt::format("its stacks make a tree of more than {} nodes, which no real snapshot of this size does: "
                              "try --frames user, --hide or --device",
                              max_nodes_));
    }
    table_.fill(slot, static_cast<std::uint32_t>(nodes_.size()));
    TreeNode<Weight>& node = nodes_.emplace_back();
    node.key = key;
    node.parent = {parent};
    return slot;
  }

  std::uint64_t max_nodes_;
  std::vector<TreeNode<Weight>> nodes_;
  HashTable<std::uint32_t, 1024> table_; ///< nodes by parent and key; 0: empty (the root has no parent)
};

} // namespace memviz
