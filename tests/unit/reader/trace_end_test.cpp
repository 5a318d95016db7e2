#include "memviz/error.hpp"
#include "memviz/recording.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <vector>

namespace memviz {

using test::GiB;
using test::MiB;
using test::SnapshotBuilder;

namespace {

/// Reads the events without the segments.
Recording read_events(const SnapshotBuilder& snapshot) {
  test::PythonValue root = snapshot.python();
  return read_snapshot(test::pickled(root.without("segments")));
}

struct Shown {
  std::uint64_t address;
  std::uint64_t size_bytes;
  BlockState state;
  friend bool operator==(const Shown&, const Shown&) = default;
};

std::vector<Shown> blocks_of(const Recording& recording) {
  std::vector<Shown> blocks;
  for (const Block& block : recording.end.blocks)
    blocks.push_back({block.address, block.size_bytes, block.state});
  return blocks;
}

} // namespace

TEST_CASE("events alone leave what they allocated and did not free") {
  SnapshotBuilder snapshot;
  snapshot.event("segment_alloc", 0x10000000, 20 * MiB).event("segment_alloc", 0x20000000, 2 * MiB);
  snapshot.alloc(0x10000000, 5 * MiB).alloc(0x10500000, 4 * MiB).alloc(0x20000000, 1000);
  snapshot.free(0x10000000, 5 * MiB).event("free_requested", 0x20000000, 1000);
  snapshot.event("segment_alloc", 0x30000000, 2 * MiB).event("segment_free", 0x30000000, 2 * MiB);
  const Recording recording = read_events(snapshot);
  REQUIRE(recording.end.segments.size() == 2);
  CHECK(recording.end.segments[0].total_bytes == 20 * MiB);
  CHECK(blocks_of(recording) == std::vector<Shown>{{0x10000000, 5 * MiB, BlockState::inactive},
                                                   {0x10500000, 4 * MiB, BlockState::active_allocated},
                                                   {0x10900000, 11 * MiB, BlockState::inactive},
                                                   {0x20000000, 1024, BlockState::active_pending_free},
                                                   {0x20000400, 2 * MiB - 1024, BlockState::inactive}});
}

TEST_CASE("what was mapped step by step is one segment, and what was unmapped is none") {
  SnapshotBuilder snapshot;
  for (std::uint64_t i = 0; i < 4; ++i)
    snapshot.event("segment_map", 0x10000000 + i * 2 * MiB, 2 * MiB);
  snapshot.event("segment_unmap", 0x10000000 + 2 * MiB, 2 * MiB);
  const Recording recording = read_events(snapshot);
  REQUIRE(recording.end.segments.size() == 2);
  CHECK(recording.end.segments[0].total_bytes == 2 * MiB);
  CHECK(recording.end.segments[1].address == 0x10000000 + 4 * MiB);
  CHECK(recording.end.segments[1].total_bytes == 4 * MiB);
  CHECK(recording.end.segments[1].is_expandable);
}

TEST_CASE("a block whose segment no event shows is a segment alone") {
  SnapshotBuilder snapshot;
  snapshot.alloc(0x10000000, 1000).alloc(0x10000400, 100);
  const Recording recording = read_events(snapshot);
  CHECK(recording.end.segments.size() == 2);
  CHECK(blocks_of(recording) == std::vector<Shown>{{0x10000000, 1024, BlockState::active_allocated},
                                                   {0x10000400, 512, BlockState::active_allocated}});
  CHECK(recording.warnings.back() ==
        "2 blocks at the end are in segments from before the first event: each is shown as a segment alone");
}

TEST_CASE("events that no memory could hold are refused, and overlapping blocks are cut") {
  SnapshotBuilder huge;
  for (std::uint64_t i = 0; i < 2; ++i)
    huge.event("segment_alloc", i << 60U, std::uint64_t{1} << 60U);
  CHECK_THROWS_AS(static_cast<void>(read_events(huge)), Error);
  SnapshotBuilder overlapping;
  overlapping.event("segment_alloc", 0x10000000, 2 * MiB).alloc(0x10000000, GiB).alloc(0x10000200, GiB);
  CHECK(blocks_of(read_events(overlapping)) ==
        std::vector<Shown>{{0x10000000, 512, BlockState::active_allocated},
                           {0x10000200, 2 * MiB - 512, BlockState::active_allocated}});
}

} // namespace memviz
