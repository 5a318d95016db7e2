#include "memviz/compare.hpp"

#include "analysis/compare/frame_mapping.hpp"
#include "analysis/compare/moved_lines.hpp"
#include "analysis/compare/renamed_script.hpp"
#include "analysis/compare/same_segments.hpp"
#include "analysis/tree/tree_builder.hpp"
#include "analysis/tree/user_lines.hpp"
#include "analysis/tree/weighted_paths.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

namespace memviz {
namespace {

/// One of the two snapshots, with what is needed to see it in the common frame table.
struct Side {
  const MemoryState& given;
  FrameMapping mapping;
  Amount Change::*amount = nullptr;
  std::optional<DevicePair> paired = {};
};

/// Returns the device number under which a device of the second side is compared; the first side keeps its numbers.
DeviceId as_compared(DeviceId device, const std::optional<DevicePair>& paired) {
  return paired && device == paired->after ? paired->before : device;
}

NodeKey as_compared(const NodeKey& key, const std::optional<DevicePair>& paired) {
  NodeKey compared = key;
  if (auto* of_device = std::get_if<DeviceKey>(&compared)) of_device->device = as_compared(of_device->device, paired);
  if (auto* of_segment = std::get_if<SegmentKey>(&compared))
    of_segment->device = as_compared(of_segment->device, paired);
  return compared;
}

/// Returns the segments at the end, whatever moment is compared.
std::vector<SegmentRef> segment_refs(const MemoryState& side, std::optional<DeviceId> device,
                                     const std::optional<DevicePair>& paired) {
  std::vector<SegmentRef> refs;
  for (const Segment& segment : side.recording->end.segments)
    if (!device || segment.device == *device)
      refs.push_back({segment.address, segment.total_bytes, as_compared(segment.device, paired), segment.stream});
  std::ranges::sort(refs);
  return refs;
}

std::vector<SegmentRef> of_gpus(std::vector<SegmentRef> segments) {
  std::erase_if(segments, [](const SegmentRef& segment) { return is_host(segment.device); });
  return segments;
}

std::vector<EndReserved> reserved_at_end(const std::vector<SegmentRef>& segments) {
  std::map<DeviceId, std::uint64_t> bytes;
  for (const SegmentRef& segment : segments)
    bytes[segment.device] += segment.total_bytes;
  std::vector<EndReserved> reserved;
  for (const auto& [device, reserved_bytes] : bytes)
    reserved.push_back({device, reserved_bytes});
  return reserved;
}

/// PyTorch's compare identifies a segment by address and size alone.
bool is_before_by_identity(const SegmentRef& left, const SegmentRef& right) {
  return std::tie(left.address, left.total_bytes) < std::tie(right.address, right.total_bytes);
}

/// As in PyTorch's compare, which ignores pinned host memory.
void split_segments(const std::vector<SegmentRef>& before, const std::vector<SegmentRef>& after, Comparison& result) {
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(result.only_before),
                      is_before_by_identity);
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(result.only_after),
                      is_before_by_identity);
  std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(result.in_both),
                        is_before_by_identity);
}

void add_paths(const Side& side, const TreeOptions& options, TreeBuilder<Change>& builder) {
  std::vector<NodeKey> common;
  for_each_path(side.given, options, [&](std::span<const NodeKey> path, const Amount& amount) {
    common.clear();
    for (const NodeKey& key : path)
      common.push_back(as_compared(side.mapping.common(key), side.paired));
    Change& change = builder.at(common).self;
    change.*side.amount += amount;
    change.width_bytes = std::max(change.before.bytes, change.after.bytes);
  });
}

/// Returns the bytes of active memory by line, for each device separately if requested.
class LineChanges {
public:
  explicit LineChanges(bool is_by_device) : is_by_device_(is_by_device) {}

  void add(const Side& side, std::optional<DeviceId> device) {
    const MemoryState& state = side.given;
    UserLines lines(state);
    for (const Segment& segment : state.segments_of(device)) {
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
        const Block& block = state.blocks[i];
        if (!block.is_active()) continue;
        const NodeKey line = side.mapping.common(lines.line_of(segment.device, i));
        LineChange& changed = changed_of(side, segment.device, line);
        changed.change.*side.amount += Amount{block.requested_bytes, 1};
        if (const auto inner = lines.inner_line_of(block.stack))
          changed.within[side.mapping.common(*inner)].*side.amount += Amount{block.requested_bytes, 1};
      }
    }
    for (const DeviceState& of_device : state.devices_of(device)) {
      for (const OutsideMemory& outside : of_device.outside) {
        const NodeKey line = side.mapping.common(lines.line_of(of_device.device, outside));
        changed_of(side, of_device.device, line).change.*side.amount +=
            Amount{outside.requested_bytes, outside.allocations};
      }
    }
  }

  /// Returns only unequal ones, the largest first.
  [[nodiscard]] std::vector<UserLineChange> ranked(const FrameOrder& order) const {
    std::vector<UserLineChange> ranked;
    std::int64_t all_bytes = 0;
    for (const auto& [place, changed] : changes_) {
      if (changed.change.before == changed.change.after) continue;
      ranked.push_back(
          unequal(place.second, changed.change, is_by_device_ ? std::optional(place.first) : std::nullopt));
      all_bytes += magnitude(ranked.back());
    }
    sort(ranked, order);
    if (!ranked.empty() && magnitude(ranked.front()) > all_bytes / 2)
      ranked.front().within = largest_within(ranked.front(), order);
    return ranked;
  }

private:
  struct LineChange {
    Change change;
    std::map<NodeKey, Change> within;
  };

  [[nodiscard]] static std::int64_t magnitude(const UserLineChange& line) {
    return std::abs(line.change.delta_bytes());
  }

  [[nodiscard]] static UserLineChange unequal(const NodeKey& key, Change change, std::optional<DeviceId> device) {
    change.width_bytes = std::max(change.before.bytes, change.after.bytes);
    return {key, change, device};
  }

  static void sort(std::vector<UserLineChange>& lines, const FrameOrder& order) {
    std::ranges::stable_sort(lines, [&](const UserLineChange& left, const UserLineChange& right) {
      if (magnitude(left) != magnitude(right)) return magnitude(left) > magnitude(right);
      return order.is_before(left.key, right.key);
    });
  }

  [[nodiscard]] std::vector<UserLineChange> largest_within(const UserLineChange& line, const FrameOrder& order) const {
    constexpr auto kLeastPart = static_cast<std::int64_t>(kLeastPartWithin);
    std::vector<UserLineChange> inner;
    for (const auto& [key, change] : changes_.at({line.device.value_or(DeviceId{}), line.key}).within) {
      const UserLineChange changed = unequal(key, change, line.device);
      if (magnitude(changed) > 0 && magnitude(changed) >= magnitude(line) / kLeastPart) inner.push_back(changed);
    }
    sort(inner, order);
    inner.resize(std::min(inner.size(), kMostWithin));
    return inner;
  }

  [[nodiscard]] LineChange& changed_of(const Side& side, DeviceId device, const NodeKey& line) {
    return changes_[{is_by_device_ ? as_compared(device, side.paired) : DeviceId{}, line}];
  }

  bool is_by_device_;
  std::map<std::pair<DeviceId, NodeKey>, LineChange> changes_;
};

/// Devices at their ends, at one time, or at one mark are at one moment; each device has a separate peak.
bool is_one_moment(std::span<const DeviceState> devices) {
  const auto is_shared = [](MomentKind kind) {
    return kind == MomentKind::end || kind == MomentKind::time || kind == MomentKind::annotation;
  };
  return devices.size() <= 1 || std::ranges::all_of(devices, [&](const DeviceState& device_state) {
           return is_shared(device_state.moment.kind) && device_state.moment.kind == devices.front().moment.kind;
         });
}

/// In the order of `readings`, which has all devices of both sides.
std::vector<DeviceChange> device_changes(const std::vector<DeviceReadings>& readings,
                                         std::span<const DeviceState> before, std::span<const DeviceState> after) {
  std::vector<DeviceChange> changes(readings.size());
  for (DeviceState DeviceChange::*const side : {&DeviceChange::before, &DeviceChange::after}) {
    std::size_t i = 0;
    for (const DeviceState& device_state : side == &DeviceChange::before ? before : after) {
      while (readings[i].device != device_state.device)
        ++i;
      changes[i].*side = device_state;
    }
  }
  return changes;
}

/// Compares the kinds of two states that have them.
void add_kinds(const MemoryState& before, const MemoryState& after, Comparison& result) {
  if (!before.has_kinds && !after.has_kinds) return;
  const auto account_of = [](const MemoryState& state, DeviceId device) {
    return state.device_at(device) == nullptr ? KindAccount{} : kind_account(state, device);
  };
  KindAccount all_before;
  KindAccount all_after;
  for (std::size_t i = 0; i < result.devices.size(); ++i) {
    const DeviceId device = result.readings[i].device;
    const KindAccount of_before = account_of(before, device);
    const bool is_paired = result.paired && device == result.paired->before;
    const KindAccount of_after = account_of(after, is_paired ? result.paired->after : device);
    result.devices[i].kinds = kind_changes(of_before, of_after);
    add(all_before, of_before);
    add(all_after, of_after);
  }
  result.kinds = kind_changes(all_before, all_after);
}

/// Devices without any memory would only obscure whether there is one moment; if all are unused, they stay.
std::vector<DeviceState> used_ones(std::span<const DeviceState> devices) {
  std::vector<DeviceState> used;
  std::ranges::copy_if(devices, std::back_inserter(used), is_used, &DeviceState::figures);
  return used.empty() ? std::vector<DeviceState>(devices.begin(), devices.end()) : used;
}

/// Returns the GPU of a side that uses exactly one and nothing else; nullopt if it uses several, or host memory.
std::optional<DeviceId> only_device(const MemoryState& state) {
  std::optional<DeviceId> only;
  for (const DeviceState& device_state : state.devices) {
    if (!is_used(device_state.figures)) continue;
    if (only || is_host(device_state.device)) return std::nullopt;
    only = device_state.device;
  }
  return only;
}

std::optional<DevicePair> pair_of(const MemoryState& before, const MemoryState& after) {
  const auto one = only_device(before);
  const auto other = only_device(after);
  return one && other && *one != *other ? std::optional(DevicePair{*one, *other}) : std::nullopt;
}

/// Compares segments and totals of devices, which need no stacks.
Comparison totals_of(const MemoryState& before, const MemoryState& after, std::optional<DeviceId> device) {
  Comparison result;
  if (!device) result.paired = pair_of(before, after);
  const std::vector<SegmentRef> before_segments = segment_refs(before, device, result.paired);
  const std::vector<SegmentRef> after_segments = segment_refs(after, device, result.paired);
  if (device)
    split_segments(before_segments, after_segments, result);
  else
    split_segments(of_gpus(before_segments), of_gpus(after_segments), result);
  const std::vector<DeviceState> before_devices = used_ones(before.devices_of(device));
  std::vector<DeviceState> after_devices = used_ones(after.devices_of(device));
  for (DeviceState& device_state : after_devices)
    device_state.device = as_compared(device_state.device, result.paired);
  result.readings =
      readings_of({before_devices, reserved_at_end(before_segments)}, {after_devices, reserved_at_end(after_segments)});
  result.devices = device_changes(result.readings, before_devices, after_devices);
  const std::vector<DeviceReadings>& devices = result.readings; // ascending
  result.mixes_host = devices.size() > 1 && is_host(devices.back().device);
  result.is_one_moment = is_one_moment(before_devices) && is_one_moment(after_devices) && !result.mixes_host;
  result.before = sum_of(before_devices);
  result.after = sum_of(after_devices);
  add_kinds(before, after, result);
  return result;
}

/// Finds the frames of the common table that both sides have.
std::vector<bool> frames_in_both(const Side& before, const Side& after, std::size_t frame_count) {
  std::vector<bool> is_before(frame_count);
  std::vector<bool> is_in_both(frame_count);
  for (const FrameId frame : before.mapping.ids())
    is_before[frame.value] = true;
  for (const FrameId frame : after.mapping.ids())
    is_in_both[frame.value] = is_before[frame.value];
  return is_in_both;
}

struct CompareScope {
  const CompareOptions& options;
  bool is_by_device = false; ///< lines of each device apart
  std::optional<DevicePair> paired = {};
};

/// One way to match the frames of both sides, and its result.
struct Matched {
  FrameTable frames;
  DiffTree tree;
  std::vector<UserLineChange> changes;
  std::size_t moved_files = 0;
  std::optional<RenamedScript> script;
  MovedLines moved_lines;
};

Matched matched_by(FrameMatch match, const MemoryState& before_side, const MemoryState& after_side,
                   const CompareScope& scope) {
  Matched result;
  MovedFiles moved = moved_files(before_side.frames(), after_side.frames());
  result.moved_files = moved.size();
  result.script = renamed_script(before_side.frames(), after_side.frames(), moved);
  if (result.script) moved.add(result.script->before, result.script->after);
  const CompareOptions& options = scope.options;
  FrameMappings mappings = map_frames(before_side, after_side, moved, match, result.frames);
  const Side after{after_side, std::move(mappings.after), &Change::after, scope.paired};
  const Side before{before_side, std::move(mappings.before), &Change::before};

  TreeBuilder<Change> builder(before_side.recording->origin.size_bytes + after_side.recording->origin.size_bytes);
  LineChanges lines(scope.is_by_device);
  for (const Side* side : {&before, &after}) {
    add_paths(*side, options.tree, builder);
    lines.add(*side, options.tree.device);
  }
  const FrameOrder order(result.frames);
  result.tree = std::move(builder).finish(order);
  result.changes = lines.ranked(order);
  if (match == FrameMatch::line)
    result.moved_lines =
        moved_lines(result.frames, result.tree, frames_in_both(before, after, result.frames.frame_count()));
  return result;
}

} // namespace

Comparison compare_snapshots(const MemoryState& before, const MemoryState& after, const CompareOptions& options) {
  Comparison result = totals_of(before, after, options.tree.device);
  const SegmentSides sides{before, after, options.before_times, options.after_times};
  result.is_in_both_by_chance = are_shared_by_chance(sides, result.in_both);
  const CompareScope scope{options, !result.is_one_moment, result.paired};
  result.match = options.match.value_or(FrameMatch::line);
  Matched matched = matched_by(result.match, before, after, scope);
  result.moved_lines_bytes = matched.moved_lines.moved_bytes;
  if (!options.match && matched.moved_lines.are_most()) {
    result.match = FrameMatch::function;
    result.is_match_chosen = true;
    matched = {}; // before the next one takes as much
    matched = matched_by(result.match, before, after, scope);
  }
  result.frames = std::move(matched.frames);
  result.tree = std::move(matched.tree);
  result.changes = std::move(matched.changes);
  result.moved_files = matched.moved_files;
  if (matched.script) {
    result.script_before = known_basename(matched.script->before);
    result.script_after = known_basename(matched.script->after);
  }
  return result;
}

} // namespace memviz
