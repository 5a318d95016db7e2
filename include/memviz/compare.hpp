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
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// The parts of two frames that must be equal: `line` compares file, function and line; `function` leaves the line
/// out, so that an edited file still matches.
enum class FrameMatch : std::uint8_t { line, function };

struct CompareOptions {
  TreeOptions tree{.levels = {Level::state}, .frames = FrameFilter::program};
  /// Nullopt: by line, but by function if most of what differs by line only moved.
  std::optional<FrameMatch> match;
  /// When the segments of each side were allocated, to recognise two snapshots of one process; null: unknown.
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
/// Returns the sum of their sizes.
[[nodiscard]] std::uint64_t bytes_of(std::span<const SegmentRef> segments);

/// A line of the user's own code (or a reason why there is none) and its requested active bytes on both sides.
struct UserLineChange {
  NodeKey key;
  Change change;
  std::optional<DeviceId> device = std::nullopt; ///< if the devices are at different moments; else of all devices
  /// The inner lines that changed most, if this line has more than half of the total change; see UserLine::within.
  std::vector<UserLineChange> within = {};
};

/// The totals of one device at the compared moment; all 0 if that side does not have the device.
struct DeviceChange {
  DeviceState before;
  DeviceState after;
  std::vector<KindChange> kinds = {}; ///< see kind_changes(); empty if the states have no kinds
};

/// The only GPU that each side uses, if their numbers differ, as for two ranks.
struct DevicePair {
  DeviceId before;
  DeviceId after;
};

struct Comparison {
  FrameTable frames; ///< of both sides; the FrameIds of the tree and the changes refer to it
  DiffTree tree;
  FrameMatch match = FrameMatch::line; ///< how frames were matched
  bool is_match_chosen = false;        ///< chosen automatically: most of what differs by line only moved
  /// Requested bytes that both sides hold in the same functions but at different lines. Found by comparing by line.
  std::uint64_t moved_lines_bytes = 0;
  /// Files whose folder differs between the sides, as in two checkouts, and which were treated as the same file.
  std::size_t moved_files = 0;
  /// Names of the program's script before and after, if they differ and it was treated as the same file; else "".
  std::string script_before = {};
  std::string script_after = {};
  std::vector<UserLineChange> changes; ///< unequal ones only, largest absolute change first
  /// Segments at the end of the recordings that only one side has, identified by address and size as in PyTorch's
  /// compare; ascending by address.
  // Segments of GPUs at the end; those of host memory if only host memory is compared.
  std::vector<SegmentRef> only_before;
  std::vector<SegmentRef> only_after;
  std::vector<SegmentRef> in_both;
  /// Whether segments found on both sides are in fact different: most have another allocation time, or other stacks.
  bool is_in_both_by_chance = false;
  std::vector<DeviceReadings> readings; ///< ascending by device; of the whole recordings; omits unused devices
  std::vector<DeviceChange> devices;    ///< the same devices at the compared moment
  /// The two compared devices, if their numbers differ; everything here uses the number from before.
  std::optional<DevicePair> paired = std::nullopt;
  /// Whether each side's devices are all at one moment, and are only GPUs or only host memory. Sums over the devices
  /// mean something only then.
  bool is_one_moment = true;
  bool mixes_host = false; ///< whether pinned host memory is compared in addition to GPUs
  DeviceFigures before;    ///< summed over the compared devices
  DeviceFigures after;
  std::vector<KindChange> kinds; ///< of these sums; empty as in DeviceChange

  /// Returns how much more is requested after than before.
  [[nodiscard]] std::int64_t requested_delta_bytes() const;
  /// Whether the files share no segment, or only by chance: they are then from two processes, whose addresses cannot
  /// match.
  [[nodiscard]] bool has_two_processes() const;
};

/// Returns the lines that grew by more than `limit` at the compared moment, largest growth first, as indices into
/// `changes`.
[[nodiscard]] std::vector<std::size_t> lines_over(const Comparison& comparison, const GrowthLimit& limit);

/// Whether a recording shows any memory of a device at any time.
[[nodiscard]] bool is_used(const DeviceFigures& figures);

/// Compares two states. The tree contains every byte of both sides once. Throws UsageError for a bad expression in
/// `options`.
[[nodiscard]] Comparison compare_snapshots(const MemoryState& before, const MemoryState& after,
                                           const CompareOptions& options);

} // namespace memviz
