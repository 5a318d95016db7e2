#include "analysis/calls/line_callers.hpp"

namespace memviz {

std::map<NodeKey, CalledLine> callers_of_lines(const MemoryState& state, DeviceId device, UserLines& lines,
                                               CallLineFinder& calls) {
  std::map<NodeKey, std::map<CalledLine, std::uint64_t>> held;
  for (const Segment& segment : state.segments_of(device))
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (state.blocks[i].is_active())
        held[lines.line_of(device, i)][calls.of(state.blocks[i].stack).line] += state.blocks[i].requested_bytes;
  std::map<NodeKey, CalledLine> found;
  for (const auto& [line, by_caller] : held) {
    std::uint64_t bytes = 0;
    for (const auto& [caller, part] : by_caller)
      bytes += part;
    for (const auto& [caller, part] : by_caller)
      if (part > bytes / 2 && caller.line && NodeKey(*caller.line) == line) found.emplace(line, caller);
  }
  return found;
}

std::map<NodeKey, CalledLine> callers_of_lines(const MemoryState& state, DeviceId device) {
  UserLines lines(state);
  CallLineFinder calls(state.frames());
  return callers_of_lines(state, device, lines, calls);
}

} // namespace memviz
