#include "snapshot_merge.hpp"

#include <doctest/doctest.h>

using namespace memviz::capture;

namespace {

/// One block and one event of `bytes`, both of the stack that is a function called `name`.
SnapshotData recording_of(const char* name, std::uint64_t bytes) {
  SnapshotData snapshot;
  snapshot.frames = {{"main", "", 0}, {name, "", 0}};
  snapshot.stacks = {{0}, {1, 0}};
  SegmentData segment;
  segment.total_size = bytes;
  segment.blocks.push_back({0x1000, bytes, bytes, "active_allocated", 1});
  snapshot.segments.push_back(segment);
  EventData event;
  event.size = bytes;
  event.stack = 1;
  snapshot.traces = {{event}};
  snapshot.settings = {{name, std::int64_t{1}}};
  return snapshot;
}

} // namespace

TEST_CASE("append_device keeps each recording's own stacks") {
  SnapshotData merged = recording_of("first", 10);
  append_device(recording_of("second", 20), 1, merged);
  REQUIRE(merged.traces.size() == 2);
  const EventData& event = merged.traces[1].at(0);
  CHECK(event.size == 20);
  CHECK(merged.frames.at(merged.stacks.at(event.stack).at(0)).name == "second");
  REQUIRE(merged.segments.size() == 2);
  CHECK(merged.segments[1].device == 1);
  CHECK(merged.segments[1].stack == kNoStack);
  CHECK(merged.frames.at(merged.stacks.at(merged.segments[1].blocks.at(0).stack).at(0)).name == "second");
  CHECK(merged.segments[0].device == 0);
  CHECK(merged.frames.at(merged.stacks.at(merged.traces[0].at(0).stack).at(0)).name == "first");
  CHECK(merged.settings.size() == 2);
}

TEST_CASE("append_device leaves room for devices that have nothing") {
  SnapshotData merged;
  append_device(recording_of("cpu", 20), 2, merged);
  REQUIRE(merged.traces.size() == 3);
  CHECK(merged.traces[0].empty());
  CHECK(merged.traces[2].size() == 1);
}
