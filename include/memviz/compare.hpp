#pragma once

// Two snapshots -> what changed: the segments that only one of them has, and one tree that holds both sides of every
// stack.

#include "memviz/flame.hpp"
#include "memviz/gauges.hpp"
#include "memviz/kinds.hpp"
#include "memviz/segment_times.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The parts of two frames that must be equal: `line` compares file, function and line; `function` leaves the line
/// out, so that an edited file still matches.
enum class FrameMatch : std::uint8_t { line, function };

struct CompareOptions {
  TreeOptions tree{.levels = {Level::state}, .frames = FrameFilter::program};
  /// Without one: by line, but by function where most of what differs by line only moved.
  std::optional<FrameMatch> match;
  /// When the segments of each side were allocated, to recognise those of one process; null: unknown.
  const SegmentTimes* before_times = nullptr;
  const SegmentTimes* after_times = nullptr;
};

struct SegmentRef {
  std::uint64_t address = 0;
  std::uint64_t total_bytes = 0;
  DeviceId device;
  std::int64_t stream = 0;
  friend auto operator<=>(const SegmentRef&, const SegmentRef&) = default;
};

/// A line of the user's own code (or a reason without one) and its requested active bytes on both sides.
struct UserLineChange {
  NodeKey key;
  Change change;
  std::optional<DeviceId> device = std::nullopt; ///< where each is at another moment; else of all devices
  /// The lines within it that changed most, if it has more than half of all that changed; as UserLine::within.
  std::vector<UserLineChange> within = {};
};

/// The totals of one device at the moment compared; all 0 where that side does not have it.
struct DeviceChange {
  DeviceState before;
  DeviceState after;
  std::vector<KindChange> kinds = {}; ///< see kind_changes(); empty where the states have no kinds
};

/// The only GPU that each side uses, where their numbers differ, as those of two ranks do.
struct DevicePair {
  DeviceId before;
  DeviceId after;
};

struct Comparison {
  FrameTable frames; ///< of both sides; the tree's and the changes' FrameIds point in here
  DiffTree tree;
  FrameMatch match = FrameMatch::line; ///< how frames were matched
  bool is_match_chosen = false;        ///< no one asked for it: most of what differs by line only moved
  /// Requested bytes that both sides hold in the same functions, but at other lines. Found by comparing by line.
  std::uint64_t moved_lines_bytes = 0;
  /// Files that are in another folder after than before, as in two checkouts, and were taken for the same.
  std::size_t moved_files = 0;
  std::vector<UserLineChange> changes; ///< unequal ones only, largest absolute change first
  /// Segments at the end of the recordings, identified by address and size as in PyTorch's compare, that one side has;
  /// ascending by address.
  // Segments of GPUs at the end; those of host memory where it alone is compared.
  std::vector<SegmentRef> only_before;
  std::vector<SegmentRef> only_after;
  std::vector<SegmentRef> in_both;
  /// Whether those in both are not the same ones: most differ by the time of their allocation, or by their stacks.
  bool is_in_both_by_chance = false;
  std::vector<DeviceReadings> readings; ///< ascending by device; of the whole recordings; unused devices are left out
  std::vector<DeviceChange> devices;    ///< the same devices at the moment compared
  /// The two devices that are compared, if their numbers differ; everything here has the number of the one before.
  std::optional<DevicePair> paired = std::nullopt;
  /// Whether those of each side are at one moment of time, and GPUs alone, or none. Only then do sums over them mean
  /// anything.
  bool is_one_moment = true;
  bool mixes_host = false; ///< whether pinned host memory is compared in addition to GPUs
  DeviceFigures before;    ///< summed over the devices compared
  DeviceFigures after;
  std::vector<KindChange> kinds; ///< of these sums; empty as in DeviceChange

  [[nodiscard]] std::int64_t allocated_delta_bytes() const;
  /// No segment is in both files, or only by chance, so they are of two processes, whose addresses cannot match.
  [[nodiscard]] bool has_two_processes() const;
};

/// The lines that grew by more than `limit` at the moment compared, largest growth first, as indices into `changes`.
[[nodiscard]] std::vector<std::size_t> lines_over(const Comparison& comparison, const GrowthLimit& limit);

/// Whether a recording shows any memory of a device, at any time.
[[nodiscard]] bool is_used(const DeviceFigures& figures);

/// Every byte of both sides is in the tree once. Throws UsageError for a bad expression in `options`.
[[nodiscard]] Comparison compare_snapshots(const MemoryState& before, const MemoryState& after,
                                           const CompareOptions& options);

} // namespace memviz
