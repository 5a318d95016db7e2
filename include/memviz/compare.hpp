#pragma once

// Two snapshots -> what changed: the segments that only one of them has, and one tree that holds both sides of every
// stack.

#include "memviz/flame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// What makes two frames the same: `line` compares file, function and line; `function` leaves the line out, so that an
/// edited file still matches.
enum class FrameMatch : std::uint8_t { line, function };

struct CompareOptions {
  TreeOptions tree{{Level::state}, FrameFilter::filtered, {}, {}, {}};
  FrameMatch match = FrameMatch::line;
};

struct SegmentRef {
  std::uint64_t address = 0;
  std::uint64_t total_bytes = 0;
  std::uint32_t device = 0;
  std::int64_t stream = 0;
  friend auto operator<=>(const SegmentRef&, const SegmentRef&) = default;
};

/// A line of the user's own code (or a reason without one) and its requested active bytes on both sides.
struct UserLineChange {
  NodeKey key;
  Change change;
};

struct Comparison {
  FrameTable frames; ///< of both sides; the tree's and the changes' FrameIds point in here
  DiffTree tree;
  /// Files that stand in another folder after than before, as in two checkouts, and were taken for the same.
  std::size_t moved_files = 0;
  std::vector<UserLineChange> changes; ///< unequal ones only, largest absolute change first
  /// Segments, identified by address and size as in PyTorch's compare, that one side has; ascending by address.
  std::vector<SegmentRef> only_before;
  std::vector<SegmentRef> only_after;
  std::vector<SegmentRef> in_both;
  DeviceStats before; ///< summed over the devices compared
  DeviceStats after;

  [[nodiscard]] std::int64_t allocated_delta_bytes() const;
};

/// One side of a comparison; refers to both.
struct ReplayedSnapshot {
  const Snapshot& snapshot;
  const Replay& replay;
};

/// Every byte of both sides is in the tree once. Throws UsageError for a bad expression in `options`.
[[nodiscard]] Comparison compare_snapshots(const ReplayedSnapshot& before, const ReplayedSnapshot& after,
                                           const CompareOptions& options);

} // namespace memviz
