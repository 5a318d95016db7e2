#include "memviz/timeline.hpp"

#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"
#include "support/timeline_check.hpp"

#include "memviz/flame.hpp"
#include "memviz/input.hpp"

#include <algorithm>
#include <doctest/doctest.h>

namespace memviz {

using namespace test;

TEST_CASE("a clock that goes back stands still in a timeline, so that no duration is below 0") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  snapshot.time(1000).event(Action::alloc, 0x1000, 512);
  snapshot.time(400).event(Action::free_completed, 0x1000, 512);
  snapshot.time(1600).event(Action::alloc, 0x1000, 512);
  snapshot.time(-5).event(Action::free_completed, 0x1000, 512);
  const Recording recording = snapshot.take();
  CHECK(record_timeline(recording).front().times_us() == std::vector<std::int64_t>{1000, 1000, 1600, 1600});
  const MemoryState state = test::end_of(recording);
  CHECK(state.devices[0].figures.first_time_us == -5);
  CHECK(state.devices[0].figures.last_time_us == 1600);
}

TEST_CASE("reserved bytes are rebuilt backward from the segments at the end") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  SUBCASE("what an event mapped was not there before it") {
    snapshot.event(Action::segment_alloc, 0x9000, 512);
    snapshot.event(Action::segment_map, 0x1800, 2048);
    snapshot.event(Action::segment_free, 0x9000, 512);
    const Recording taken = snapshot.take();
    const DeviceRecord record = record_timeline(taken).front();
    REQUIRE(record.reserved.size() == 4);
    CHECK(record.reserved[0].bytes == 2048);
    CHECK(record.reserved[1].bytes == 2560);
    CHECK(record.reserved[2].bytes == 4608);
    CHECK(record.reserved[3].bytes == 4096);
    CHECK(record.reserved_known_from == 0);
    const BandChart chart = chart_bands(record, whole(record), {.kind = TimelineKind::segments});
    CHECK(chart.slices.back().live_bytes == 4096);
    CHECK(chart.slices.back().rest_bytes == 0);
  }
  SUBCASE("where an event mapped the first pages of a range, the others were there before it") {
    snapshot.event(Action::segment_map, 0x1000, 1024);
    const Recording taken = snapshot.take();
    const DeviceRecord record = record_timeline(taken).front();
    REQUIRE(record.reserved.size() == 2);
    CHECK(record.reserved[0].bytes == 3072);
    CHECK(record.reserved[1].bytes == 4096);
    CHECK(record.reserved_known_from == 0);
  }
  SUBCASE("where events do not fit, what was before them is unknown") {
    snapshot.event(Action::segment_alloc, 0x1000, 4096);
    snapshot.event(Action::segment_alloc, 0x20000, 64);
    snapshot.event(Action::alloc, 0x1000, 32);
    CHECK(record_timeline(snapshot.take()).front().reserved_known_from == 2);
  }
  SUBCASE("where more lives than is reserved, it is unknown as well") {
    snapshot.event(Action::alloc, 0x20000, 5000);
    snapshot.event(Action::free_completed, 0x20000, 5000);
    CHECK(record_timeline(snapshot.take()).front().reserved_known_from == 2);
  }
}

TEST_CASE("a record is split by stream and pool, and all of it together is the record") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).active(512, 100).inactive(3584);
  snapshot.segment(0x9000, 8192, 7).pool({0, 3}).active(512, 200).inactive(7680);
  snapshot.event(Action::alloc, 0x1200, 11);
  snapshot.event(Action::alloc, 0x9200, 22);
  snapshot.event(Action::alloc, 0x70000, 33); // in a segment that is gone at the end
  snapshot.event(Action::free_completed, 0x70000, 33);
  const Recording taken = snapshot.take();
  const DeviceRecord record = record_timeline(taken).front();
  const std::vector<DeviceRecord> split = split_by_home(taken.end, record, 16);
  REQUIRE(split.size() == 2);
  std::uint64_t live_bytes = 0;
  std::uint64_t reserved_bytes = 0;
  for (const DeviceRecord& part : split) {
    REQUIRE(part.homes.size() == 1);
    live_bytes += chart_bands(part, whole(part), {}).slices.back().live_bytes;
    reserved_bytes += part.reserved.back().bytes;
    if (part.homes.front() == Home{7, PoolId{0, 3}}) CHECK(part.reserved.back().bytes == 8192);
    // The default pool's, before it and with it.
    const std::vector<Slice> slices = chart_bands(part, whole(part), {}).slices;
    if (part.homes.front() == Home{0, PoolId{}})
      CHECK(std::ranges::max(slices, {}, &Slice::live_bytes).live_bytes == 144);
  }
  CHECK(live_bytes == 333);
  CHECK(reserved_bytes == 4096 + 8192);
}

TEST_CASE("where events name no pool, what lay in a segment that was given back is none of the one that is there now") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x8000, 0x4000).pool({0, 3}).active(512, 100).inactive(0x4000 - 512);
  snapshot.event(Action::segment_alloc, 0x9000, 0x1000);
  snapshot.event(Action::alloc, 0x9000, 0x1000);
  snapshot.event(Action::free_completed, 0x9000, 0x1000);
  snapshot.event(Action::segment_free, 0x9000, 0x1000);
  snapshot.event(Action::segment_alloc, 0x8000, 0x4000);
  snapshot.event(Action::alloc, 0x8000, 100);
  const Recording taken = snapshot.take();
  const DeviceRecord record = record_timeline(taken).front();
  const std::vector<DeviceRecord> split = split_by_home(taken.end, record, 16);
  REQUIRE(split.size() == 2);
  for (const DeviceRecord& part : split) {
    REQUIRE(part.homes.size() == 1);
    const std::vector<Slice> slices = chart_bands(part, whole(part), {}).slices;
    const std::uint64_t live = std::ranges::max(slices, {}, &Slice::live_bytes).live_bytes;
    const std::uint64_t reserved = std::ranges::max(part.reserved, {}, &Step::bytes).bytes;
    CHECK(live <= reserved);
    CHECK(live == (part.homes.front() == Home{0, PoolId{0, 3}} ? 100 : 0x1000));
  }
}

TEST_CASE("from a number on, streams and pools are one record") {
  test::SmallSnapshot snapshot;
  for (std::uint64_t i = 0; i < 9; ++i) {
    snapshot.segment(0x1000 * (i + 1), 4096, static_cast<std::int64_t>(i)).inactive(4096);
    snapshot.event(Action::alloc, 0x1000 * (i + 1), 100 + i);
  }
  const Recording taken = snapshot.take();
  const DeviceRecord record = record_timeline(taken).front();
  const std::vector<DeviceRecord> split = split_by_home(taken.end, record, 4);
  REQUIRE(split.size() == 4);
  CHECK(split[0].homes.size() == 1);
  CHECK(split[3].homes.size() == 6);
  CHECK(split[3].reserved.back().bytes == 6 * 4096);
  std::uint64_t live_bytes = 0;
  for (const DeviceRecord& part : split)
    live_bytes += chart_bands(part, whole(part), {}).slices.back().live_bytes;
  CHECK(live_bytes == 9 * 100 + 36);
}

TEST_CASE("who held the peak is what a graph of the same moment says, of every real snapshot") {
  const auto folder = test::shared_folder();
  if (!folder) return;
  std::size_t compared = 0;
  for (const auto& path : test::files_in(*folder / "snapshots", ".pickle")) {
    CAPTURE(path.string());
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    const MemoryState accounts = test::end_of(snapshot);
    const LifeLines lines(accounts);
    Recording at_peak = read_snapshot(read_input(path.string()).bytes());
    MomentChoice peak_choice;
    peak_choice.kind = MomentKind::peak;
    const MemoryState rewound = test::state_at(at_peak, peak_choice);
    for (const DeviceRecord& record : record_timeline(snapshot)) {
      const DeviceState device_state = accounts.devices_of(record.device).front();
      const auto peak = static_cast<std::uint32_t>(device_state.peak_event.count());
      const std::vector<UserLine> holders = holders_at(snapshot.frames, lines, record, TimelineKind::allocations, peak);
      const std::vector<UserLine> users = rank_user_lines(rewound, record.device);
      // In an edited file the graph has bytes that are only counted: no block and no free says whose they are.
      if (!device_state.figures.balanced()) continue;
      ++compared;
      CHECK(holders.size() == users.size());
      for (std::size_t i = 0; i < std::min(holders.size(), users.size()); ++i) {
        CHECK(holders[i].key == users[i].key);
        CHECK(holders[i].amount.bytes == users[i].amount.bytes);
      }
    }
  }
  CHECK(compared >= 40); // devices
}

} // namespace memviz
