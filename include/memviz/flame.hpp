#pragma once

// MemoryState -> FrameTree: who holds every reserved byte, grouped and filtered as asked.

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

/// annotation, metadata, compile and kind are levels of memory in use alone: free memory is next to them.
/// Annotations that were open within each other are levels within each other, up to 16.
enum class Level : std::uint8_t { device, pool, stream, segment, state, annotation, metadata, compile, kind };

/// Whether one of them groups by what the events of allocations say, so that BlockFacts::birth is needed; all is
/// unknown without it.
[[nodiscard]] bool need_births(std::span<const Level> levels);
/// Whether one of them is the kind, so that BlockFacts::kind is needed; all is unknown without it.
[[nodiscard]] bool need_kinds(std::span<const Level> levels);

/// The frames of a stack that are kept. `filtered` is PyTorch's own omit list (torch/cuda/_memory_viz.py,
/// _frame_filter), `program` what it keeps without is_interpreter(): those frames split one line of Python into
/// several boxes, one for each way in which CPython calls the next.
enum class FrameFilter : std::uint8_t { program, filtered, user, python, all };

enum class LivesOf : std::uint8_t { all, born, freed };

/// Allocations by when they live. State 0 is before the first event of a device, state n after its n-th.
struct LifeRange {
  LivesOf of = LivesOf::all; ///< born: allocated after `first` and up to `last`; freed: the same of their end
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct TreeOptions {
  std::vector<Level> levels{Level::stream, Level::state}; ///< above the frames, outermost first
  FrameFilter frames = FrameFilter::program;
  std::string focus = {};              ///< RE2; stacks without a match become <not in focus>; empty: all
  std::string hide = {};               ///< RE2; frames that match are left out of their stacks; empty: none
  std::optional<DeviceId> device = {}; ///< only this one
  LifeRange lives = {};                ///< memory in use of other lives becomes <not in focus>
};

/// The levels of `--view memory` and `--view segments`; a device level comes first when the snapshot has several
/// devices.
[[nodiscard]] std::vector<Level> memory_levels(const MemoryState& state);
[[nodiscard]] std::vector<Level> segment_levels(const MemoryState& state);

/// The root's total is the reserved bytes of the devices asked for, exactly, and their DeviceState::outside. Throws
/// UsageError for a bad expression, and Error where the tree would have more nodes than 2^18 and one for every four
/// bytes of the snapshot's file: no real one comes near.
[[nodiscard]] FrameTree build_frame_tree(const MemoryState& state, const TreeOptions& options);

/// Requested bytes whose path ends at a node, of one kind.
struct KindAt {
  NodeId node;
  KindShare share;
};

/// A tree whose memory in use is known by kind.
struct KindTree {
  FrameTree tree;
  std::vector<KindAt> kinds; ///< a node may have several; empty where the state has no kinds
};

/// build_frame_tree() with kinds, for pictures: a node that says why there is no stack has a child for each kind of its
/// memory, where any is known and the kind is not a level.
[[nodiscard]] KindTree build_kind_tree(const MemoryState& state, const TreeOptions& options);

/// One line of the user's own code, or (no frame) the reason why the bytes have no stack.
struct UserLine {
  NodeKey key;           ///< a FrameId or a Pseudo
  Amount amount;         ///< requested bytes of active blocks, and of DeviceState::outside
  KindShares kinds = {}; ///< the same by kind; empty where the state has no kinds
  /// The largest of the lines within it, at most three, largest first, if it holds more than half of all.
  std::vector<InnerLine> within = {};
};

/// Stack -> the line of the user's own code that asked for the memory. Finds out about each text and each stack once.
class UserLineFinder {
public:
  /// `frames` must outlive this object, and may grow.
  explicit UserLineFinder(const FrameTable& frames);
  ~UserLineFinder();
  UserLineFinder(const UserLineFinder&) = delete;
  UserLineFinder& operator=(const UserLineFinder&) = delete;

  /// The innermost frame of the stack that is the user's own Python (else any Python frame, one of torch's that only
  /// passes calls on last, else C++ that is not torch's, else the autograd node, else the innermost C++ frame above the
  /// allocator); Pseudo::filtered where it has none of these, Pseudo::without_stack where it has no frames.
  [[nodiscard]] NodeKey line_of(StackId stack);
  /// The innermost line of a library (else of torch) that line_of() called, but none that only passes calls on:
  /// "forward modeling_llama.py:176" within "<module> train.py:7". Nothing where there is none.
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

/// The same for one stack; of many, a finder is quicker.
[[nodiscard]] NodeKey user_line_of(const FrameTable& frames, StackId stack);

/// Returns the owner of a line that UserLineFinder named and that is not the user's ("torch's own", "a library's
/// own", "torch's C++"), because the stack has no line of the user; "" if the line is the user's or no frame.
[[nodiscard]] std::string_view not_own_text(const FrameTable& frames, const NodeKey& line);

/// Active memory by the line of its stack that UserLineFinder names, largest first. Rounding is left out.
[[nodiscard]] std::vector<UserLine> rank_user_lines(const MemoryState& state, std::optional<DeviceId> device);
/// The same of each of MemoryState::devices, in one pass.
[[nodiscard]] std::vector<std::vector<UserLine>> rank_user_lines_of_devices(const MemoryState& state);

} // namespace memviz
