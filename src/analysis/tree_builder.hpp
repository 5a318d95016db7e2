#pragma once

// Paths with weights -> Tree. Paths that share a beginning share its nodes.

#include "analysis/frame_order.hpp"
#include "memviz/error.hpp"
#include "memviz/tree.hpp"
#include "value/hash.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memviz {

template <class Weight> class TreeBuilder {
public:
  TreeBuilder() { nodes_.emplace_back(); }

  /// The node at the end of `path`, below the root; its weight is the caller's to change until finish().
  TreeNode<Weight>& at(std::span<const NodeKey> path) {
    std::uint32_t node = 0;
    for (const NodeKey& key : path)
      node = child(node, key);
    return nodes_[node];
  }

  /// Sums the totals upward and puts siblings in drawing order.
  [[nodiscard]] Tree<Weight> finish(const FrameOrder& order) && {
    for (auto& node : nodes_)
      node.total = node.self;
    // Parents stand before their children, so one pass from the back sees every child before its parent.
    for (std::size_t i = nodes_.size(); i-- > 1;)
      nodes_[nodes_[i].parent.value].total += nodes_[i].total;

    std::vector<std::uint32_t> siblings(nodes_.size() - 1);
    for (std::uint32_t i = 0; i < siblings.size(); ++i)
      siblings[i] = i + 1;
    std::sort(siblings.begin(), siblings.end(), [&](std::uint32_t left, std::uint32_t right) {
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
  // A file may let many segments share one very deep stack; a tree of this size is far beyond what anybody can read.
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 22U;

  struct Edge {
    std::uint32_t parent = 0;
    NodeKey key;
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  struct EdgeHash {
    std::size_t operator()(const Edge& edge) const {
      std::uint64_t hash = mixed(hash_secret(), edge.parent);
      for (const std::uint64_t part : {static_cast<std::uint64_t>(edge.key.kind), edge.key.value, edge.key.other})
        hash = mixed(hash, part);
      return hash;
    }
  };

  std::uint32_t child(std::uint32_t parent, const NodeKey& key) {
    const auto [entry, is_new] = children_.try_emplace(Edge{parent, key}, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      if (nodes_.size() >= kMaxNodes)
        throw Error("the tree of stacks has more than 4 million nodes: try --frames user");
      TreeNode<Weight>& node = nodes_.emplace_back();
      node.key = key;
      node.parent = {parent};
    }
    return entry->second;
  }

  std::vector<TreeNode<Weight>> nodes_;
  std::unordered_map<Edge, std::uint32_t, EdgeHash> children_;
};

} // namespace memviz
