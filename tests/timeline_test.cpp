#include "memviz/timeline.hpp"

#include "support/files.hpp"
#include "support/small_snapshot.hpp"

#include "memviz/error.hpp"
#include "memviz/input.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace memviz {

namespace {

/// Live bytes by state, from the events alone: what the timeline must agree with.
std::vector<std::int64_t> replayed_live(const Snapshot& snapshot, std::uint32_t device) {
  std::map<std::uint64_t, std::uint64_t> live;
  std::int64_t bytes = 0;
  std::int64_t baseline_bytes = 0;
  std::vector<std::int64_t> by_state{0};
  if (device < snapshot.traces.size()) {
    const EventTable& events = snapshot.traces[device];
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto size = static_cast<std::int64_t>(events.size_bytes(i));
      if (events.action(i) == Action::alloc) {
        live[events.address(i)] = events.size_bytes(i);
        bytes += size;
      } else if (events.action(i) == Action::free_completed) {
        if (live.erase(events.address(i)) == 0) baseline_bytes += size;
        bytes -= size;
      }
      by_state.push_back(bytes);
    }
  }
  for (const Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    for (const Block& block : snapshot.blocks_of(segment))
      if (block.is_active() && !live.contains(block.address))
        baseline_bytes += static_cast<std::int64_t>(block.requested_bytes);
  }
  for (std::int64_t& state : by_state)
    state += baseline_bytes;
  return by_state;
}

Window whole(const DeviceRecord& record) {
  return {0, record.events};
}

/// Baseline, bands and rest add up to what lives, at every slice; and what lives is what the events say.
void check_conserves_bytes(const BandChart& chart, const std::vector<std::int64_t>& live) {
  REQUIRE(!chart.slices.empty());
  CHECK(chart.slices.front().state == chart.window.first);
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < chart.slices.size(); ++i) {
    const Slice& slice = chart.slices[i];
    CHECK((i == 0 || slice.state > previous));
    previous = slice.state;
    std::uint64_t banded_bytes = 0;
    bool bands_are_right = true;
    for (const Band& band : chart.bands) {
      const bool is_here = band.first <= i && i < band.last;
      bands_are_right = bands_are_right && is_here == band.life.lives_in(slice.state);
      if (is_here) banded_bytes += band.life.size_bytes;
    }
    CHECK(bands_are_right);
    CHECK(slice.baseline_bytes + banded_bytes + slice.rest_bytes == slice.live_bytes);
    CHECK(static_cast<std::int64_t>(slice.live_bytes) == live[slice.state]);
  }
}

BandChart chart_of(const Snapshot& snapshot, const TimelineOptions& options = {}) {
  const std::vector<DeviceRecord> records = record_timeline(snapshot);
  REQUIRE(records.size() == 1);
  return chart_bands(records.front(), whole(records.front()), options);
}

/// Allocations that come and go at random addresses, many of them reused.
Snapshot random_snapshot(std::uint32_t seed, std::size_t events) {
  std::mt19937 random(seed);
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 1 << 20).active(512, 300).inactive((1 << 20) - 512);
  std::vector<std::uint64_t> live;
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (std::size_t i = 0; i < events; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      const std::size_t which = random() % live.size();
      const std::uint64_t address = live[which];
      snapshot.event(Action::free_requested, address, sizes[address]);
      snapshot.event(Action::free_completed, address, sizes[address]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (random() % 10 == 0) {
      snapshot.event(Action::free_completed, 0x90000 + i, 64); // of before the recording
    } else {
      const std::uint64_t address = 0x2000 + 512 * (random() % 4000);
      if (sizes.contains(address) && std::find(live.begin(), live.end(), address) != live.end()) continue;
      sizes[address] = 1 + random() % 512;
      live.push_back(address);
      snapshot.event(Action::alloc, address, sizes[address]);
    }
  }
  return snapshot.take();
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
  const Snapshot taken = snapshot.take();
  const std::vector<DeviceRecord> records = record_timeline(taken);
  REQUIRE(records.size() == 1);
  const BandChart chart = chart_bands(records.front(), whole(records.front()), {});

  SUBCASE("bytes") {
    check_conserves_bytes(chart, replayed_live(taken, 0));
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
    const std::vector<Holder> holders = holders_at(taken, replay(taken), records.front(), TimelineKind::allocations, 4);
    REQUIRE(holders.size() == 1);
    CHECK(holders[0].bytes == 1700);
    CHECK(holders[0].allocations == 2);
  }
}

TEST_CASE("bytes are conserved whatever is drawn of a recording") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const Snapshot snapshot = random_snapshot(seed, 3000);
    const std::vector<std::int64_t> live = replayed_live(snapshot, 0);
    const std::int64_t highest = *std::max_element(live.begin(), live.end());
    const std::vector<DeviceRecord> records = record_timeline(snapshot);
    for (const std::size_t bands : {std::size_t{0}, std::size_t{1}, std::size_t{40}, std::size_t{100'000}}) {
      for (const std::size_t slices : {std::size_t{1}, std::size_t{30}, std::size_t{100'000}}) {
        CAPTURE(bands);
        CAPTURE(slices);
        const BandChart chart =
            chart_bands(records.front(), whole(records.front()), {.most_bands = bands, .most_slices = slices});
        check_conserves_bytes(chart, live);
        CHECK(chart.bands.size() <= bands);
        CHECK(static_cast<std::int64_t>(chart.slices[chart.peak].live_bytes) == highest);
        CHECK(static_cast<std::int64_t>(
                  std::min_element(chart.slices.begin(), chart.slices.end(), [](const Slice& left, const Slice& right) {
                    return left.live_bytes < right.live_bytes;
                  })->live_bytes) == *std::min_element(live.begin(), live.end()));
      }
    }
  }
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

TEST_CASE("a window shows its own states") {
  const Snapshot snapshot = random_snapshot(7, 2000);
  const std::vector<std::int64_t> live = replayed_live(snapshot, 0);
  const std::vector<DeviceRecord> records = record_timeline(snapshot);
  const Window window{500, 900};
  for (const std::size_t slices : {std::size_t{20}, std::size_t{10'000}}) {
    const BandChart chart = chart_bands(records.front(), window, {.most_bands = 50, .most_slices = slices});
    check_conserves_bytes(chart, live);
    CHECK(chart.slices.front().state == 500);
    CHECK(chart.slices.back().state <= 900);
    CHECK(static_cast<std::int64_t>(chart.slices[chart.peak].live_bytes) ==
          *std::max_element(live.begin() + 500, live.begin() + 901));
  }
}

TEST_CASE("frees of what was never allocated come from before the recording") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  snapshot.event(Action::free_completed, 0x1000, 600);
  snapshot.event(Action::free_completed, 0x1400, 100);
  const Snapshot taken = snapshot.take();
  const BandChart chart = chart_of(taken);
  check_conserves_bytes(chart, replayed_live(taken, 0));
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
    const Snapshot taken = snapshot.take();
    const BandChart chart = chart_of(taken);
    check_conserves_bytes(chart, replayed_live(taken, 0));
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
  const Snapshot taken = snapshot.take();
  const BandChart chart = chart_of(taken);
  check_conserves_bytes(chart, replayed_live(taken, 0));
  CHECK(chart.slices[chart.peak].live_bytes == replay(taken).devices.front().peak_requested_bytes);
}

TEST_CASE("devices have timelines of their own") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).active(512, 100).inactive(3584);
  snapshot.segment(0x1000, 8192, 0, 3).active(512, 200).inactive(7680);
  snapshot.event(Action::alloc, 0x5000, 11, kNoFrames, 0);
  snapshot.event(Action::alloc, 0x5000, 22, kNoFrames, 3);
  snapshot.event(Action::free_completed, 0x5000, 22, kNoFrames, 3);
  const Snapshot taken = snapshot.take();
  const std::vector<DeviceRecord> records = record_timeline(taken);
  REQUIRE(records.size() == 2);
  CHECK(records[1].device == 3);
  for (const DeviceRecord& record : records)
    check_conserves_bytes(chart_bands(record, whole(record), {}), replayed_live(taken, record.device));
}

TEST_CASE("reserved bytes are rebuilt backward from the segments at the end") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  SUBCASE("what an event mapped was not there before it") {
    snapshot.event(Action::segment_alloc, 0x9000, 512);
    snapshot.event(Action::segment_map, 0x1800, 2048);
    snapshot.event(Action::segment_free, 0x9000, 512);
    const Snapshot taken = snapshot.take();
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
  SUBCASE("where events do not fit, what was before them is unknown") {
    snapshot.event(Action::segment_alloc, 0x1000, 4096);
    snapshot.event(Action::segment_alloc, 0x20000, 64);
    snapshot.event(Action::alloc, 0x1000, 32);
    CHECK(record_timeline(snapshot.take()).front().reserved_known_from == 2);
  }
  SUBCASE("where more lives than is reserved, it is unknown, too") {
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
  const Snapshot taken = snapshot.take();
  const DeviceRecord record = record_timeline(taken).front();
  const std::vector<DeviceRecord> split = split_by_home(taken, record);
  REQUIRE(split.size() == 3);
  std::uint64_t live_bytes = 0;
  std::uint64_t reserved_bytes = 0;
  for (const DeviceRecord& part : split) {
    REQUIRE(part.homes.size() == 1);
    live_bytes += chart_bands(part, whole(part), {}).slices.back().live_bytes;
    reserved_bytes += part.reserved.back().bytes;
    if (part.homes.front() == Home{7, PoolId{0, 3}}) CHECK(part.reserved.back().bytes == 8192);
    if (!part.homes.front().pool) CHECK(chart_bands(part, whole(part), {}).slices[1].live_bytes == 33);
  }
  CHECK(live_bytes == 333);
  CHECK(reserved_bytes == 4096 + 8192);
}

TEST_CASE("segment events of absurd sizes are refused") {
  test::SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  snapshot.event(Action::segment_alloc, 0x1000, kMaxTotalBytes);
  snapshot.event(Action::segment_free, 0x1000, kMaxTotalBytes);
  const Snapshot taken = snapshot.take();
  CHECK_THROWS_AS(static_cast<void>(record_timeline(taken)), Error);
}

TEST_CASE("peaks of real snapshots are those of the oracle") {
  const auto folder = test::shared_folder();
  if (!folder) {
    MESSAGE("skipped: no ../shared");
    return;
  }
  std::size_t count = 0;
  for (const auto& path : test::files_in(*folder / "snapshots", ".pickle")) {
    CAPTURE(path.string());
    const Snapshot snapshot = read_snapshot(read_input(path.string()).bytes());
    const nlohmann::json wanted =
        nlohmann::json::parse(test::read_bytes((*folder / "oracle" / path.stem()).string() + ".json"));
    const std::vector<DeviceRecord> records = record_timeline(snapshot);
    REQUIRE(records.size() == wanted.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      for (const std::size_t slices : {std::size_t{3}, std::size_t{4500}}) {
        const BandChart chart = chart_bands(records[i], whole(records[i]), {.most_bands = 100, .most_slices = slices});
        const Slice& peak = chart.slices[chart.peak];
        CHECK(peak.live_bytes == wanted[i]["peak_requested_bytes"]);
        CHECK(static_cast<std::int64_t>(peak.state) - 1 == wanted[i]["peak_event"]);
        check_conserves_bytes(chart, replayed_live(snapshot, records[i].device));
      }
      CHECK(records[i].reserved.back().bytes == wanted[i]["reserved_bytes"]);
    }
    ++count;
  }
  CHECK(count > 0);
}

} // namespace memviz
