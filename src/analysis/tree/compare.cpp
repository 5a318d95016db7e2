#include "memviz/compare.hpp"

#include "analysis/tree/frame_mapping.hpp"
#include "analysis/tree/tree_builder.hpp"
#include "analysis/tree/weighted_paths.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace memviz {
namespace {

/// One of the two snapshots, with what is needed to see it in the common frame table.
struct Side {
  const Snapshot& snapshot;
  const Replay& replay;
  FrameMapping mapping;
  Amount Change::*amount = nullptr;
};

std::vector<SegmentRef> segment_refs(const Snapshot& snapshot, std::optional<std::uint32_t> device) {
  std::vector<SegmentRef> refs;
  for (const Segment& segment : snapshot.segments_of(device))
    refs.push_back({segment.address, segment.total_bytes, segment.device, segment.stream});
  std::sort(refs.begin(), refs.end());
  return refs;
}

/// PyTorch's compare identifies a segment by address and size alone.
bool is_before_by_identity(const SegmentRef& left, const SegmentRef& right) {
  return std::tie(left.address, left.total_bytes) < std::tie(right.address, right.total_bytes);
}

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
  for_each_path(side.snapshot, side.replay, options, [&](std::span<const NodeKey> path, const Amount& amount) {
    common.clear();
    for (const NodeKey& key : path)
      common.push_back(side.mapping.common(key));
    Change& change = builder.at(common).self;
    change.*side.amount += amount;
    change.width_bytes = std::max(change.before.bytes, change.after.bytes);
  });
}

std::vector<UserLineChange> rank_changes(const Side& before, const Side& after, std::optional<std::uint32_t> device,
                                         const FrameOrder& order) {
  std::map<NodeKey, Change> changes;
  for (const Side* side : {&before, &after}) {
    for (const UserLine& line : rank_user_lines(side->snapshot, side->replay, device)) {
      changes[side->mapping.common(line.key)].*side->amount += line.amount;
    }
  }
  std::vector<UserLineChange> ranked;
  for (const auto& [key, change] : changes) {
    if (change.before == change.after) continue;
    ranked.push_back({key, change});
    ranked.back().change.width_bytes = std::max(change.before.bytes, change.after.bytes);
  }
  const auto magnitude = [](const UserLineChange& line) { return std::abs(line.change.delta_bytes()); };
  std::sort(ranked.begin(), ranked.end(), [&](const UserLineChange& left, const UserLineChange& right) {
    if (magnitude(left) != magnitude(right)) return magnitude(left) > magnitude(right);
    return order.is_before(left.key, right.key);
  });
  return ranked;
}

} // namespace

std::int64_t Comparison::allocated_delta_bytes() const {
  return static_cast<std::int64_t>(after.allocated_bytes) - static_cast<std::int64_t>(before.allocated_bytes);
}

Comparison compare_snapshots(const ReplayedSnapshot& before_side, const ReplayedSnapshot& after_side,
                             const CompareOptions& options) {
  Comparison result;
  FrameMapper mapper(options.match, result.frames);
  const MovedFiles moved = moved_files(before_side.snapshot.frames, after_side.snapshot.frames);
  result.moved_files = moved.size();
  const Side after{after_side.snapshot, after_side.replay, mapper.map(after_side.snapshot.frames), &Change::after};
  const Side before{before_side.snapshot, before_side.replay, mapper.map(before_side.snapshot.frames, moved),
                    &Change::before};

  TreeBuilder<Change> builder(before.snapshot.origin.size_bytes + after.snapshot.origin.size_bytes);
  add_paths(before, options.tree, builder);
  add_paths(after, options.tree, builder);
  const FrameOrder order(result.frames);
  result.tree = std::move(builder).finish(order);
  result.changes = rank_changes(before, after, options.tree.device, order);
  split_segments(segment_refs(before.snapshot, options.tree.device), segment_refs(after.snapshot, options.tree.device),
                 result);
  result.before = sum_of(stats_of(before.replay, options.tree.device));
  result.after = sum_of(stats_of(after.replay, options.tree.device));
  return result;
}

} // namespace memviz
