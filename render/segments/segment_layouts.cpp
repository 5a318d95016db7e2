#include "segments/segment_layouts.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace memviz::render {
namespace {

using Place = std::tuple<std::uint32_t, PoolId, std::int64_t, bool>;
/// Sizes and states of blocks; first the segment's own size, which they need not cover.
using Blocks = std::vector<std::pair<std::uint64_t, BlockState>>;

Blocks blocks_of(const Snapshot& snapshot, const Segment& segment) {
  Blocks blocks{{segment.total_bytes, BlockState::inactive}};
  for (const Block& block : snapshot.blocks_of(segment))
    blocks.emplace_back(block.size_bytes, block.state);
  return blocks;
}

} // namespace

void merge_same_layouts(std::vector<SegmentRow>& rows, const Snapshot& snapshot) {
  std::map<std::pair<Place, Blocks>, std::size_t> places;
  std::vector<SegmentRow> merged;
  for (const SegmentRow& row : rows) {
    if (row.pinned == nullptr) {
      const Segment& segment = *row.segment;
      const Place place{segment.device, segment.pool, segment.stream, segment.is_expandable};
      const auto [first, is_new] = places.try_emplace({place, blocks_of(snapshot, segment)}, merged.size());
      if (!is_new) {
        merged[first->second].count += row.count;
        continue;
      }
    }
    merged.push_back(row);
  }
  rows = std::move(merged);
}

} // namespace memviz::render
