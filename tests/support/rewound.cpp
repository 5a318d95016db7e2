#include "support/rewound.hpp"

#include "memviz/flame.hpp"
#include "memviz/replay.hpp"
#include "support/conservation.hpp"
#include "support/tree_builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memviz::test {
MemoryState rewound(const SnapshotBuilder& builder, const MomentChoice& choice) {
  MemoryState state = rewind(builder.read(), choice);
  check_conserved(state);
  for (const Segment& segment : state.segments)
    for (const Block& block : state.blocks_of(segment))
      CHECK(block.address >= segment.address);
  check_conserves_bytes(build_frame_tree(state, {}));
  return state;
}

MomentChoice after_event(std::int64_t event) {
  return {.kind = MomentKind::event,
          .event = EventIndex::last_of(static_cast<std::uint64_t>(event + 1)),
          .time_us = 0,
          .annotation = {},
          .device = std::nullopt};
}

MomentChoice at_moment(MomentKind kind) {
  return {.kind = kind, .event = {}, .time_us = 0, .annotation = {}, .device = std::nullopt};
}

std::string drawn(const MemoryState& state) {
  std::string text;
  for (const Segment& segment : state.segments) {
    text += fmt::format("{}{:#x}+{}:", text.empty() ? "" : " | ", segment.address, segment.total_bytes);
    for (const Block& block : state.blocks_of(segment)) {
      if (block.is_active())
        text += fmt::format(" {}{}/{}", block.state == BlockState::active_pending_free ? "~" : "",
                            block.requested_bytes, block.size_bytes);
      else
        text += fmt::format(" -{}", block.size_bytes);
    }
  }
  return text;
}

SegmentBuilder small(SnapshotBuilder& builder, std::uint64_t address, std::uint64_t total_bytes, int device) {
  return builder.segment(address, total_bytes, device).set("segment_type", "small");
}

std::string drawn_after(const SnapshotBuilder& builder, std::int64_t event) {
  return drawn(rewound(builder, after_event(event)));
}

} // namespace memviz::test
