#pragma once

// The one tree of memviz: a root, grouping levels (device, pool, stream, segment, state), then frames, outermost first.
// At every node the children's totals plus its own bytes are its total; the root's total is the snapshot's reserved
// bytes, and in edited files those of allocations outside all segments. FrameTree weighs one snapshot, DiffTree two.

#include "memviz/frames.hpp"
#include "memviz/memory_map.hpp"

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

namespace memviz {

struct NodeId {
  std::uint32_t value = 0;
  friend auto operator<=>(const NodeId&, const NodeId&) = default;
};

inline constexpr NodeId kRoot{0};
inline constexpr NodeId kNoNode{std::numeric_limits<std::uint32_t>::max()};

enum class NodeKind : std::uint8_t { root, device, pool, stream, segment, state, frame, pseudo };

/// The leaves that are not frames. All but `gaps` and `unaccounted` say why bytes have no (whole) stack.
enum class Pseudo : std::uint8_t {
  gaps,        ///< rounding: block size minus requested size
  unaccounted, ///< bytes of a segment that none of its blocks covers; stands in the place of a state
  outside,     ///< allocations that lie in no segment (edited files); stands in the place of all levels but the device
  history_off, ///< no stack: the file has neither stacks nor events
  before_recording, ///< no stack: allocated before the first event
  lost_or_before, ///< no stack: allocated before the recording or overwritten in the ring; the file does not say which
  without_stack,  ///< no stack: the allocation was recorded, its stack was not
  only_counted, ///< no stack: the sums of events have these bytes, but neither a block nor a free tells whose they are
  filtered,     ///< every frame of the stack is hidden by --frames or --hide
  not_focused,  ///< stacks that --focus does not match
};

/// What a node stands for; equal keys under one parent are one node.
struct NodeKey {
  NodeKind kind = NodeKind::root;
  /// device: index; pool: PoolId::first; stream: the stream's bits; segment: address; state: BlockState; frame:
  /// FrameId; pseudo: Pseudo.
  std::uint64_t value = 0;
  std::uint64_t other = 0; ///< pool: PoolId::second; segment: device; device: 1 for main memory
  friend auto operator<=>(const NodeKey&, const NodeKey&) = default;

  [[nodiscard]] static NodeKey of(FrameId frame) { return {NodeKind::frame, frame.value, 0}; }
  [[nodiscard]] static NodeKey of(BlockState state) { return {NodeKind::state, static_cast<std::uint64_t>(state), 0}; }
  [[nodiscard]] static NodeKey of(Pseudo pseudo) { return {NodeKind::pseudo, static_cast<std::uint64_t>(pseudo), 0}; }

  [[nodiscard]] FrameId frame() const { return {static_cast<std::uint32_t>(value)}; }
  [[nodiscard]] bool is(Pseudo pseudo) const {
    return kind == NodeKind::pseudo && value == static_cast<std::uint64_t>(pseudo);
  }
  [[nodiscard]] bool is(BlockState state) const {
    return kind == NodeKind::state && value == static_cast<std::uint64_t>(state);
  }
};

/// One snapshot's share of a node.
struct Amount {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  Amount& operator+=(const Amount& more);
  friend bool operator==(const Amount&, const Amount&) = default;
};

/// Two snapshots' share of a node. Of a leaf the width is the larger side; upward, widths are summed, so that what
/// vanished keeps its place in a picture.
struct Change {
  Amount before;
  Amount after;
  std::uint64_t width_bytes = 0;
  Change& operator+=(const Change& more);
  friend bool operator==(const Change&, const Change&) = default;
  [[nodiscard]] std::int64_t delta_bytes() const;
};

[[nodiscard]] inline std::uint64_t width_bytes(const Amount& amount) {
  return amount.bytes;
}
[[nodiscard]] inline std::uint64_t width_bytes(const Change& change) {
  return change.width_bytes;
}

template <class Weight> struct TreeNode {
  NodeKey key;
  NodeId parent = kNoNode;
  NodeId first_child = kNoNode;
  NodeId next_sibling = kNoNode;
  Weight self;  ///< bytes whose path ends here
  Weight total; ///< self plus the children's totals
};

/// Parents stand before their children in `nodes`; siblings are linked in drawing order: widest first, then by label.
template <class Weight> struct Tree {
  std::vector<TreeNode<Weight>> nodes;

  [[nodiscard]] const TreeNode<Weight>& operator[](NodeId id) const { return nodes[id.value]; }
  [[nodiscard]] const TreeNode<Weight>& root() const { return nodes.front(); }
};

using FrameTree = Tree<Amount>;
using DiffTree = Tree<Change>;

} // namespace memviz
