#include "memviz/block_lines.hpp"

#include "analysis/tree/user_lines.hpp"

#include <map>

namespace memviz {

BlockLines block_lines(const Snapshot& snapshot, const Replay& replay, std::optional<std::uint32_t> device) {
  BlockLines result{rank_user_lines(snapshot, replay, device), std::vector(snapshot.blocks.size(), kNoLine)};
  std::map<NodeKey, std::uint32_t> places;
  for (std::uint32_t i = 0; i < result.lines.size(); ++i)
    places.emplace(result.lines[i].key, i);
  UserLines finder(snapshot, replay);
  for (const Segment& segment : snapshot.segments_of(device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (snapshot.blocks[i].is_active()) result.of_block[i] = places.at(finder.line_of(segment.device, i));
  }
  return result;
}

} // namespace memviz
