#include "memviz/timeline.hpp"

#include "support/small_snapshot.hpp"
#include "support/states.hpp"
#include "support/timeline_check.hpp"

#include "memviz/error.hpp"
#include "memviz/flame.hpp"

#include <doctest/doctest.h>

namespace memviz {

using namespace test;

namespace {

BandChart chart_of(const Recording& snapshot, const TimelineOptions& options = {}) {
  const std::vector<DeviceRecord> records = record_timeline(snapshot);
  REQUIRE(records.size() == 1);
  return chart_bands(records.front(), whole(records.front()), options);
}

} // namespace

TEST_CASE("a timeline of a few events holds every state and every allocation") {
  test::SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({"/app/train.py:12:step"});
  snapshot.segment(0x1000, 4096).active(1024, 1000, stack).inactive(3072);
  snapshot.event(Action::alloc, 0x2000, 500, stack);
  snapshot.event(Action::free_requested, 0x2000, 500);
  snapshot.event(Action::free_completed, 0x2000, 500);
  snapshot.event(Action::alloc, 0x2000, 700, stack);
  const Recording taken = snapshot.take();
  const std::vector<DeviceRecord> records = record_timeline(taken);
  REQUIRE(records.size() == 1);
  const BandChart chart = chart_bands(records.front(), whole(records.front()), {});

  SUBCASE("bytes") {
    check_conserves_bytes(chart, replayed_live(taken, {}));
    REQUIRE(chart.slices.size() == 4);
    CHECK(chart.slices[0].baseline_bytes == 1000);
    CHECK(chart.slices[chart.peak].live_bytes == 1700);
    CHECK(chart.slices[chart.peak].state == 4);
    CHECK(chart.rest_lives == 0);
  }
  SUBCASE("an address that is used again has the next number") {
    REQUIRE(chart.bands.size() == 2);
    CHECK(chart.bands[0].earlier_uses == 0);
    CHECK(chart.bands[0].life.end == 3);
    CHECK(chart.bands[1].earlier_uses == 1);
    CHECK(chart.bands[1].life.end == kForever);
  }
  SUBCASE("who held the peak") {
    const std::vector<UserLine> holders =
        holders_at(taken.frames, LifeLines(test::end_of(taken)), records.front(), TimelineKind::allocations, 4);
    REQUIRE(holders.size() == 1);
    CHECK(holders[0].amount == Amount{1700, 2});
  }
}

TEST_CASE("a strip holds the small allocations of one line, and what lived before of one line") {
  test::SmallSnapshot snapshot;
  const StackId forward = snapshot.stack({"/app/model.py:41:forward"});
  const StackId step = snapshot.stack({"/app/optim.py:7:step"});
  snapshot.segment(0x1000, 4096).active(512, 500, step).active(512, 400).inactive(3072);
  for (std::uint64_t i = 0; i < 6; ++i)
    snapshot.event(Action::alloc, 0x2000 + 512 * i, 10 + i, i == 5 ? step : forward);
  snapshot.event(Action::alloc, 0x5000, 90, forward);
  const Recording taken = snapshot.take();
  const MemoryState accounts = test::end_of(taken);
  const LifeLines lines(accounts);
  const DeviceRecord record = record_timeline(taken).front();
  const BandChart chart = chart_bands(record, whole(record), {.most_bands = 1});
  const std::vector<Strip> strips = chart_strips(lines, record, chart, TimelineKind::allocations, 2);
  check_strips_add_up(strips, chart);
  REQUIRE(strips.size() == 6);
  const NodeKey in_step = user_line_of(taken.frames, step);
  CHECK(strips[0].key == NodeKey(Pseudo::lost_or_before)); // the other shows that recording was on before
  CHECK(strips[0].is_baseline);
  CHECK(strips[0].bytes.back() == 400);
  CHECK(strips[1].key == in_step); // above what has no name
  CHECK(strips[1].bytes.front() == 500);
  CHECK(strips[2].key == NodeKey(RootKey{}));
  CHECK(strips[3].key == user_line_of(taken.frames, forward));
  CHECK(strips[3].lives == 5);
  CHECK(strips[3].bytes.back() == 10 + 11 + 12 + 13 + 14);
  CHECK(strips[4].key == in_step);
  CHECK(strips[4].bytes.back() == 15);
  CHECK(strips[5].bytes.back() == 0);
}

TEST_CASE("the largest allocations that are seen become bands") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  for (std::uint64_t i = 0; i < 8; ++i)
    snapshot.event(Action::alloc, 0x2000 + 512 * i, i == 5 ? 90 : 10 + i % 2);
  const BandChart chart = chart_of(snapshot.take(), {.most_bands = 3});
  REQUIRE(chart.bands.size() == 3);
  // The largest, then of equal ones the earlier; in order of time.
  CHECK(chart.bands[0].life.address == 0x2000 + 512 * 1);
  CHECK(chart.bands[1].life.address == 0x2000 + 512 * 3);
  CHECK(chart.bands[2].life.address == 0x2000 + 512 * 5);
  CHECK(chart.rest_lives == 5);
}

TEST_CASE("frees of what was never allocated come from before the recording") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  snapshot.event(Action::free_completed, 0x1000, 600);
  snapshot.event(Action::free_completed, 0x1400, 100);
  const Recording taken = snapshot.take();
  const BandChart chart = chart_of(taken);
  check_conserves_bytes(chart, replayed_live(taken, {}));
  CHECK(chart.bands.empty());
  CHECK(chart.slices.front().baseline_bytes == 700);
  CHECK(chart.slices.back().baseline_bytes == 0);
  CHECK(chart.slices[chart.peak].state == 0);
}

TEST_CASE("frees of another size than their alloc leave the difference to the rest") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  snapshot.event(Action::alloc, 0x1000, 600);
  SUBCASE("smaller: what is left lives on") {
    snapshot.event(Action::free_completed, 0x1000, 400);
    const Recording taken = snapshot.take();
    const BandChart chart = chart_of(taken);
    check_conserves_bytes(chart, replayed_live(taken, {}));
    CHECK(chart.slices.back().rest_bytes == 200);
    CHECK_FALSE(chart.has_negative_rest);
  }
  SUBCASE("larger: nothing is below 0") {
    snapshot.event(Action::free_completed, 0x1000, 900);
    CHECK(chart_of(snapshot.take()).slices.back().live_bytes == 0);
  }
  SUBCASE("larger, and allocated since: the band is larger than all that lives") {
    snapshot.event(Action::free_completed, 0x1000, 900);
    snapshot.event(Action::alloc, 0x1000, 700);
    const BandChart chart = chart_of(snapshot.take());
    CHECK(chart.slices.back().live_bytes == 400);
    CHECK(chart.slices.back().rest_bytes == 0);
    CHECK(chart.has_negative_rest);
  }
}

TEST_CASE("an address that is allocated twice counts twice, as in the accounts") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  snapshot.event(Action::alloc, 0x1000, 600);
  snapshot.event(Action::alloc, 0x1000, 300);
  snapshot.event(Action::free_completed, 0x1000, 300);
  const Recording taken = snapshot.take();
  const BandChart chart = chart_of(taken);
  check_conserves_bytes(chart, replayed_live(taken, {}));
  CHECK(chart.slices[chart.peak].live_bytes == test::end_of(taken).devices.front().figures.peak_requested_bytes);
}

TEST_CASE("devices have their own timelines") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).active(512, 100).inactive(3584);
  snapshot.segment(0x1000, 8192, 0, 3).active(512, 200).inactive(7680);
  snapshot.event(Action::alloc, 0x5000, 11, kNoFrames, 0);
  snapshot.event(Action::alloc, 0x5000, 22, kNoFrames, 3);
  snapshot.event(Action::free_completed, 0x5000, 22, kNoFrames, 3);
  const Recording taken = snapshot.take();
  const std::vector<DeviceRecord> records = record_timeline(taken);
  REQUIRE(records.size() == 2);
  CHECK(records[1].device == DeviceId{3});
  for (const DeviceRecord& record : records)
    check_conserves_bytes(chart_bands(record, whole(record), {}), replayed_live(taken, record.device));
}

TEST_CASE("segment events of absurd sizes are refused") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  snapshot.event(Action::segment_alloc, 0x1000, kMaxTotalBytes);
  snapshot.event(Action::segment_free, 0x1000, kMaxTotalBytes);
  const Recording taken = snapshot.take();
  CHECK_THROWS_AS(static_cast<void>(record_timeline(taken)), Error);
}

} // namespace memviz
