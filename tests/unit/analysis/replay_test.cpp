#include "memviz/error.hpp"
#include "memviz/replay.hpp"
#include "memviz/warnings.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("a recording from the start balances without a baseline") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).active(1024, 1000).inactive(3072);
  builder.alloc(0x1000, 1000).alloc(0x1400, 500).free(0x1400, 500);
  const Recording snapshot = builder.read();
  const MemoryState result = end_of(snapshot);
  REQUIRE(result.devices.size() == 1);
  const DeviceState& device_state = result.devices[0];
  CHECK(device_state.figures.reserved_bytes == 4096);
  CHECK(device_state.figures.allocated_bytes == 1024);
  CHECK(device_state.figures.inactive_bytes == 3072);
  CHECK(device_state.figures.requested_bytes == 1000);
  CHECK(device_state.figures.rounding_bytes() == 24);
  CHECK(device_state.figures.baseline_bytes == 0);
  CHECK(device_state.figures.peak_requested_bytes == 1500);
  CHECK(device_state.peak_event == EventIndex(1));
  CHECK(device_state.figures.end_requested_bytes == 1000);
  CHECK(device_state.figures.balanced());
  CHECK(result.facts[0].history.is_explained());
  CHECK(warnings_of(result).empty());
}

TEST_CASE("what lived before the first event is the baseline") {
  SnapshotBuilder builder;
  SUBCASE("blocks that no recorded alloc explains") {
    builder.segment(0x1000, 1024).active(512, 500).active(512, 400);
    builder.alloc(0x1200, 400);
    const MemoryState result = replay(builder.read());
    CHECK(result.devices[0].figures.baseline_bytes == 500);
    CHECK(result.devices[0].figures.unmatched_frees == 0);
    CHECK(!result.facts[0].history.is_explained());
    CHECK(result.facts[1].history.is_explained());
    CHECK(result.devices[0].figures.balanced());
  }
  SUBCASE("frees that no recorded alloc explains") {
    builder.segment(0x1000, 1024).inactive(1024);
    builder.free(0x1000, 700);
    const DeviceState device_state = replay(builder.read()).devices[0];
    CHECK(device_state.figures.baseline_bytes == 700);
    CHECK(device_state.figures.unmatched_frees == 1);
    CHECK(device_state.figures.peak_requested_bytes == 700);
    CHECK(device_state.peak_event.is_none());
    CHECK(device_state.figures.end_requested_bytes == 0);
    CHECK(device_state.figures.balanced());
  }
}

TEST_CASE("an allocation lives until free_completed, not free_requested") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).pending(512, 500).inactive(512);
  builder.alloc(0x1000, 500).event("free_requested", 0x1000, 500);
  const DeviceState device_state = replay(builder.read()).devices[0];
  CHECK(device_state.figures.end_requested_bytes == 500);
  CHECK(device_state.figures.pending_free_bytes == 512);
  CHECK(device_state.figures.balanced());
}

TEST_CASE("an address that is used again is a new allocation") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).active(1024, 900);
  builder.alloc(0x1000, 100).free(0x1000, 100).alloc(0x1000, 900);
  const DeviceState device_state = replay(builder.read()).devices[0];
  CHECK(device_state.figures.peak_requested_bytes == 900);
  CHECK(device_state.peak_event == EventIndex(3));
  CHECK(device_state.figures.balanced());
}

TEST_CASE("the peak is the first event at which it is reached") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).inactive(1024);
  for (int i = 0; i < 3; ++i)
    builder.alloc(0x1000, 100).free(0x1000, 100);
  CHECK(replay(builder.read()).devices[0].peak_event == EventIndex(0));
}

TEST_CASE("accounts that do not balance say by how much") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).inactive(1024);
  builder.alloc(0x1000, 2048);
  const MemoryState result = replay(builder.read());
  CHECK(result.devices[0].figures.imbalance_bytes == 2048);
  CHECK_FALSE(result.devices[0].figures.balanced());
  const std::vector<std::string> warnings = warnings_of(result);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("2.00 KiB more than") != std::string::npos);
}

TEST_CASE("devices are accounted for one by one") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 512, 0).active(512, 512);
  builder.segment(0x1000, 512, 2).active(512, 100);
  builder.event("alloc", 0x1000, 100, {}, 2);
  builder.event("oom", 0, 1 << 20, {}, 1);
  const MemoryState result = replay(builder.read());
  REQUIRE(result.devices.size() == 3);
  CHECK(result.devices[0].figures.baseline_bytes == 512);
  CHECK(result.devices[1].figures.ooms == 1);
  CHECK(result.devices[1].last_oom_event == EventIndex(0));
  CHECK(result.devices[2].figures.baseline_bytes == 0);
}

TEST_CASE("sizes that no memory can have are an error, not an overflow") {
  SnapshotBuilder builder;
  builder.alloc(0x1000, std::uint64_t{1} << 59U).alloc(0x2000, std::uint64_t{1} << 59U).alloc(0x3000, 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(replay(builder.read())),
                       "the events of device 0 add up to more than 1 EiB: the file is damaged", Error);
}

TEST_CASE("the times of a recording are those of its earliest and its latest event") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).inactive(4096);
  const auto event = [](std::int64_t time_us) {
    return dict({{"action", "alloc"}, {"addr", 0x1000}, {"size", 8}, {"stream", 0}, {"time_us", time_us}});
  };
  builder.event(event(300), 0).event(event(100), 0).event(event(200), 1);
  const MemoryState result = replay(builder.read());
  REQUIRE(result.devices.size() == 2);
  CHECK(result.devices[0].figures.first_time_us == 100);
  CHECK(result.devices[0].figures.last_time_us == 300);
  const DeviceFigures sum = sum_of(result.devices);
  CHECK(sum.first_time_us == 100);
  CHECK(sum.last_time_us == 300);
  SUBCASE("none where events have none") {
    SnapshotBuilder timeless;
    timeless.event(dict({{"action", "alloc"}, {"addr", 0x1000}, {"size", 8}, {"stream", 0}}));
    CHECK_FALSE(replay(timeless.read()).devices.at(0).figures.first_time_us.has_value());
  }
}

TEST_CASE("warnings of one kind are counted after the first ones") {
  constexpr int kDevices = 20;
  SnapshotBuilder builder;
  for (int device = 0; device < kDevices; ++device) {
    builder.segment(0x1000, 512, device).inactive(512);
    builder.event("alloc", 0x1000, 500, {}, device);
    builder.event("alloc", 0x4000, 100, {}, device);
  }
  SUBCASE("at the end") {
    const Recording snapshot = builder.read();
    const MemoryState result = end_of(snapshot);
    const std::vector<std::string> warnings = warnings_of(result);
    REQUIRE(warnings.size() == 9);
    CHECK(warnings.front().starts_with("the accounts of GPU 0 do not balance"));
    CHECK(warnings[7].starts_with("the accounts of GPU 7 do not balance"));
    CHECK(warnings.back() == "and 12 more like it");
  }
  SUBCASE("at another moment, each kind by itself") {
    Recording snapshot = builder.read();
    const MemoryState result =
        state_at(snapshot, {.kind = MomentKind::event, .event = EventIndex(0), .annotation = {}, .device = {}});
    const std::vector<std::string> warnings = warnings_of(result);
    const auto rests = std::count(warnings.begin(), warnings.end(), "and 12 more like it");
    REQUIRE(rests >= 2);
    CHECK(warnings.size() == 9 * static_cast<std::size_t>(rests));
  }
}

TEST_CASE("the state of a device is found by its number") {
  SnapshotBuilder builder;
  for (const int device : {7, 3, 300})
    builder.segment(0x1000, 512, device).inactive(512);
  const MemoryState result = replay(builder.read());
  REQUIRE(result.devices_of(DeviceId{7}).size() == 1);
  CHECK(result.devices_of(DeviceId{7}).front().device == DeviceId{7});
  CHECK(result.devices_of(DeviceId{4}).empty());
  CHECK(result.devices_of({}).size() == 3);
}
