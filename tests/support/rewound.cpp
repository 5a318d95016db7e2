#include "support/rewound.hpp"

#include "memviz/flame.hpp"
#include "memviz/replay.hpp"
#include "support/tree_builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <vector>

namespace memviz::test {
namespace {

/// Every byte of every segment is in one of its blocks, whatever the moment.
void check_conserves(const MemoryState& state) {
  std::vector<std::uint64_t> reserved_bytes(state.devices.size());
  for (const Segment& segment : state.segments) {
    std::uint64_t bytes = segment.uncovered_bytes;
    for (const Block& block : state.blocks_of(segment)) {
      bytes += block.size_bytes;
      CHECK(block.requested_bytes <= block.size_bytes);
      CHECK(block.address >= segment.address);
    }
    CHECK(bytes == segment.total_bytes);
    for (std::size_t i = 0; i < reserved_bytes.size(); ++i)
      if (state.devices[i].device == segment.device) reserved_bytes[i] += segment.total_bytes;
  }
  for (std::size_t i = 0; i < reserved_bytes.size(); ++i) {
    const DeviceFigures& stats = state.devices[i].figures;
    CHECK(stats.reserved_bytes == reserved_bytes[i]);
    CHECK(stats.allocated_bytes + stats.pending_free_bytes + stats.inactive_bytes + stats.unaccounted_bytes ==
          stats.reserved_bytes);
  }
  CHECK(state.facts.size() == state.blocks.size());
}

} // namespace

MemoryState rewound(const SnapshotBuilder& builder, const MomentChoice& choice) {
  MemoryState state = rewind(builder.read(), choice);
  check_conserves(state);
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
