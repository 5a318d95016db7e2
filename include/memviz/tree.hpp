#pragma once

// The one tree of memviz: a root, grouping levels (device, pool, stream, segment, state, and texts from the events of
// an allocation), then frames, outermost first. At every node the children's totals plus its own bytes are its total;
// the root's total is the snapshot's reserved bytes, plus, in edited files, those of allocations outside all segments.
// The weights are of one snapshot in a FrameTree, of two in a DiffTree.

#include "memviz/device_id.hpp"
#include "memviz/device_kind.hpp"
#include "memviz/frames.hpp"
#include "memviz/keeper_step.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/memory_map.hpp"

#include <compare>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace memviz {

struct NodeId {
  std::uint32_t value = 0;
  friend auto operator<=>(const NodeId&, const NodeId&) = default;
};

inline constexpr NodeId kRoot{0};
inline constexpr NodeId kNoNode{std::numeric_limits<std::uint32_t>::max()};

/// The leaves that are not frames. All except `gaps` and `unaccounted` say why bytes have no (whole) stack.
enum class Pseudo : std::uint8_t {
  gaps,             ///< rounding: block size minus requested size
  unaccounted,      ///< bytes of a segment that none of its blocks covers; on the level of a state
  outside,          ///< allocations in no segment (edited files); in place of all levels except the device
  history_off,      ///< no stack: the file has neither stacks nor events
  before_recording, ///< no stack: allocated before the first event
  lost_or_before, ///< no stack: allocated before the recording or overwritten in the ring; the file does not say which
  without_stack,  ///< no stack: the allocation was recorded without its stack
  only_counted,   ///< no stack: the sums of events include these bytes, but no block and no free shows their owner
  filtered,       ///< every frame of the stack is hidden by --frames or --hide
  not_focused,    ///< stacks that --focus does not match
};

/// All memory of a snapshot; in the charts of a timeline, all lines without a separate strip.
struct RootKey {
  friend auto operator<=>(const RootKey&, const RootKey&) = default;
};

struct DeviceKey {
  DeviceId device;
  DeviceKind device_kind = DeviceKind::cuda; ///< Origin::kind_of()
  friend auto operator<=>(const DeviceKey&, const DeviceKey&) = default;
};

struct StreamKey {
  std::int64_t stream = 0; ///< as in Segment
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
  /// Compared by bits, because a stream is a handle.
  friend auto operator<=>(const StreamKey& left, const StreamKey& right) {
    return static_cast<std::uint64_t>(left.stream) <=> static_cast<std::uint64_t>(right.stream);
  }
};

struct SegmentKey {
  std::uint64_t address = 0;
  DeviceId device;
  friend auto operator<=>(const SegmentKey&, const SegmentKey&) = default;
};

/// A fact about an allocation, besides its stack, by which trees can be grouped.
enum class Topic : std::uint8_t {
  annotation, ///< an open record_function
  metadata,   ///< Event::user_metadata
  compile,    ///< Event::compile_context
};

/// Whether there is a text; `unknown` if no event of the allocation is recorded or, for annotations, if it has no time.
enum class TopicContent : std::uint8_t { text, nothing, unknown };

struct TopicKey {
  Topic topic = Topic::annotation;
  TopicContent content = TopicContent::unknown;
  StringId text; ///< empty if the file has no text
  friend auto operator<=>(const TopicKey&, const TopicKey&) = default;
};

/// The meaning of a node; equal keys under one parent are one node. Siblings of equal width are in the order of these
/// alternatives. To add a level, add an alternative here and a case in each visitor: node_label(), the JSON of trees,
/// KeyHash.
using NodeKey = std::variant<RootKey, DeviceKey, PoolId, StreamKey, SegmentKey, BlockState, FrameId, Pseudo, TopicKey,
                             MemoryKind, KeeperStep>;

[[nodiscard]] inline bool is_frame(const NodeKey& key) {
  return std::holds_alternative<FrameId>(key);
}

/// One snapshot's weight of a node.
struct Amount {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  Amount& operator+=(const Amount& more);
  friend bool operator==(const Amount&, const Amount&) = default;
};

/// A part of a line's memory, by the innermost informative line that it called.
struct InnerLine {
  FrameId frame;
  Amount amount;
};

/// Two snapshots' weight of a node. The width of a leaf is its larger side; widths are summed upward, so that what
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

/// A tree. Parents are before their children in `nodes`; siblings are linked in drawing order: widest first, then by
/// label.
template <class Weight> struct Tree {
  std::vector<TreeNode<Weight>> nodes;

  [[nodiscard]] const TreeNode<Weight>& operator[](NodeId id) const { return nodes[id.value]; }
  [[nodiscard]] const TreeNode<Weight>& root() const { return nodes.front(); }
};

using FrameTree = Tree<Amount>;
using DiffTree = Tree<Change>;

} // namespace memviz
