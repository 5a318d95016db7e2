#include "memviz/block_lines.hpp"

#include "analysis/tree/user_lines.hpp"

#include <map>

namespace memviz {

BlockLines block_lines(const MemoryState& state, std::optional<DeviceId> device) {
  BlockLines result{rank_user_lines(state, device), std::vector(state.blocks.size(), kNoLine)};
  std::map<NodeKey, std::uint32_t> places;
  for (std::uint32_t i = 0; i < result.lines.size(); ++i)
    places.emplace(result.lines[i].key, i);
  UserLines finder(state);
  for (const Segment& segment : state.segments_of(device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (state.blocks[i].is_active()) result.of_block[i] = places.at(finder.line_of(segment.device, i));
  }
  return result;
}

} // namespace memviz
