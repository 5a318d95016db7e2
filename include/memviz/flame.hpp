#pragma once

// MemoryState -> FrameTree: the holder of every reserved byte, grouped and filtered as requested.

#include "memviz/kind_shares.hpp"
#include "memviz/replay.hpp"
#include "memviz/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace memviz {

/// The levels annotation, metadata, compile and kind group memory in use only: free memory is next to them. Annotations
/// that were open within each other become nested levels, at most 16, and so do the steps of a keeper's path.
enum class Level : std::uint8_t { device, pool, stream, segment, state, annotation, metadata, compile, kind, keeper };

/// Whether one of the levels uses texts from the allocations' events, which needs BlockFacts::birth; without it, all of
/// them are unknown.
[[nodiscard]] bool need_births(std::span<const Level> levels);
/// Whether one of the levels is the kind, which needs BlockFacts::kind; without it, all kinds are unknown.
[[nodiscard]] bool need_kinds(std::span<const Level> levels);
/// Whether one of the levels is the keeper, which needs a recording with keepers at its end; without them, all of them
/// are unknown.
[[nodiscard]] bool need_keepers(std::span<const Level> levels);

/// The frames of a stack that are kept. `filtered` is PyTorch's own omit list (torch/cuda/_memory_viz.py,
/// _frame_filter). `program` additionally removes is_interpreter() frames, which split one line of Python into several
/// boxes, one for each way in which CPython calls the next.
enum class FrameFilter : std::uint8_t { program, filtered, user, python, all };

enum class LivesOf : std::uint8_t { all, born, freed };

/// A filter of allocations by when they live. State 0 is before the first event of a device, state n after its n-th.
struct LifeRange {
  LivesOf of = LivesOf::all; ///< born: allocated after `first` and up to `last`; freed: likewise for the free
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct KeeperPaths;

struct TreeOptions {
  std::vector<Level> levels{Level::stream, Level::state}; ///< above the frames, outermost first
  bool has_frames = true; ///< whether frames follow below the levels; else memory in use ends at them
  FrameFilter frames = FrameFilter::program;
  std::string focus = {};               ///< RE2; stacks without a match become <not in focus>; empty: keep all
  std::string hide = {};                ///< RE2; matching frames are removed from their stacks; empty: none
  std::optional<DeviceId> device = {};  ///< only this one
  LifeRange lives = {};                 ///< other memory in use becomes <not in focus>
  const KeeperPaths* keepers = nullptr; ///< of the recording, if they are a level; null: they are found again
};

/// Returns the levels of `--view memory` and `--view segments`; a device level comes first if the snapshot has several
/// devices.
[[nodiscard]] std::vector<Level> memory_levels(const MemoryState& state);
[[nodiscard]] std::vector<Level> segment_levels(const MemoryState& state);

/// Builds the tree. The root's total is exactly the reserved bytes of the requested devices plus their
/// DeviceState::outside. Throws UsageError for a bad expression, and Error if the tree would have more than 2^18 nodes
/// plus one for every four bytes of the snapshot's file, which no real snapshot approaches.
[[nodiscard]] FrameTree build_frame_tree(const MemoryState& state, const TreeOptions& options);

/// Requested bytes of one kind whose path ends at a node.
struct KindAt {
  NodeId node;
  KindShare share;
};

/// A tree in which memory in use has kinds.
struct KindTree {
  FrameTree tree;
  std::vector<KindAt> kinds; ///< a node may have several; empty if the state has no kinds
};

/// Builds the tree of build_frame_tree() with kinds, for pictures: a node that says why there is no stack has a child
/// for each kind of its memory, if any is known and the kind is not a level.
[[nodiscard]] KindTree build_kind_tree(const MemoryState& state, const TreeOptions& options);

/// A line of the user's own code, or (without a frame) the reason why the bytes have no stack.
struct UserLine {
  NodeKey key;           ///< a FrameId or a Pseudo
  Amount amount;         ///< requested bytes of active blocks, and of DeviceState::outside
  KindShares kinds = {}; ///< the same by kind; empty if the state has no kinds
  /// The largest inner lines, at most three, largest first, if this line holds more than half of all memory.
  std::vector<InnerLine> within = {};
};

/// Maps a stack to the line of the user's own code that requested the memory. Classifies each text and each stack once.
class UserLineFinder {
public:
  /// `frames` must outlive this object, and may grow.
  explicit UserLineFinder(const FrameTable& frames);
  ~UserLineFinder();
  UserLineFinder(const UserLineFinder&) = delete;
  UserLineFinder& operator=(const UserLineFinder&) = delete;

  /// Returns the innermost frame of the stack that is the user's own Python; else any Python frame, with torch's frames
  /// that only pass calls on last; else C++ that is not torch's; else the autograd node; else the innermost C++ frame
  /// above the allocator. Returns Pseudo::filtered if the stack has none of these, Pseudo::without_stack if it has no
  /// frames.
  [[nodiscard]] NodeKey line_of(StackId stack);
  /// Returns the innermost line of a library (else of torch) that line_of() called, skipping those that only pass calls
  /// on: "forward modeling_llama.py:176" within "<module> train.py:7". Nullopt if there is none.
  [[nodiscard]] std::optional<FrameId> inner_line_of(StackId stack);

private:
  struct Facts;
  [[nodiscard]] NodeKey find(StackId stack_id);
  [[nodiscard]] std::optional<FrameId> find_inner(StackId stack);
  [[nodiscard]] int preference(FrameId id);
  [[nodiscard]] std::size_t autograd_node(std::span<const FrameId> stack);

  const FrameTable& frames_;
  std::unique_ptr<Facts> facts_;
  std::unordered_map<std::uint32_t, NodeKey> line_by_stack_;
  std::unordered_map<std::uint32_t, std::optional<FrameId>> inner_by_stack_;
};

/// Returns the same for one stack; for many, a finder is faster.
[[nodiscard]] NodeKey user_line_of(const FrameTable& frames, StackId stack);

/// Returns the owner of a line that UserLineFinder returned although it is not the user's ("torch's own", "a library's
/// own", "torch's C++"), because the stack has no line of the user; "" if the line is the user's or not a frame.
[[nodiscard]] std::string_view not_own_text(const FrameTable& frames, const NodeKey& line);

/// Returns active memory by the line that UserLineFinder returns for its stack, largest first. Excludes rounding.
[[nodiscard]] std::vector<UserLine> rank_user_lines(const MemoryState& state, std::optional<DeviceId> device);
/// Returns the same of the memory that the focus and the lives of a tree keep.
[[nodiscard]] std::vector<UserLine> rank_user_lines(const MemoryState& state, std::optional<DeviceId> device,
                                                    const TreeOptions& tree);
/// Returns the same for each of MemoryState::devices, in one pass.
[[nodiscard]] std::vector<std::vector<UserLine>> rank_user_lines_of_devices(const MemoryState& state);

} // namespace memviz
