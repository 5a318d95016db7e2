#include "analysis/calls/live_block.hpp"

#include <algorithm>

namespace memviz {

std::vector<LiveBlock> live_blocks(const MemoryState& state, DeviceId device, CallLineFinder& finder) {
  std::vector<LiveBlock> blocks;
  for (const Segment& segment : state.segments_of(device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = state.blocks[i];
      if (!block.is_active()) continue;
      blocks.push_back({state.facts[i].history.alloc_event, block.address, block.requested_bytes, block.stack,
                        state.facts[i].kind.kind, &finder.of(block.stack)});
    }
  }
  std::ranges::stable_sort(blocks, {}, &LiveBlock::alloc_event);
  return blocks;
}

void CauseSum::add(const CallLines& lines, std::uint64_t bytes) {
  bytes_ += bytes;
  Part& part = lines_.try_emplace(lines.line, Part{0, lines.script_line}).first->second;
  part.bytes += bytes;
}

void CauseSum::add(const LiveBlock& block) {
  add(*block.lines, block.bytes);
  ++blocks_;
}

void CauseSum::add(const Request& request, const CallLines& lines) {
  add(lines, request.bytes);
  has_request_ = true;
}

Cause CauseSum::cause(CauseKind kind) const {
  Cause cause;
  cause.kind = kind;
  cause.bytes = bytes_;
  cause.blocks = blocks_;
  cause.has_request = has_request_;
  std::uint64_t most_bytes = 0;
  for (const auto& [line, part] : lines_) {
    if (!line.line || part.bytes <= most_bytes) continue;
    most_bytes = part.bytes;
    cause.line = line;
    if (!line.caller && line.call == line.line) cause.line.caller = part.script_line;
  }
  return cause;
}

} // namespace memviz
