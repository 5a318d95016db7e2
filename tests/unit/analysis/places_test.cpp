#include "memviz/pins.hpp"
#include "memviz/places.hpp"
#include "memviz/replay.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <ctime>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("places_of distinguishes devices, pools and streams, and adds up to all") {
  SnapshotBuilder builder;
  builder.segment(0x10000, 4096).active(1024, 1000).inactive(3072);
  builder.segment(0x20000, 2048).pending(2048, 2000);
  builder.segment(0x30000, 512, 0, 7).inactive(512);
  builder.segment(0x40000, 256).inactive(256).set("segment_pool_id", list({0, 3}));
  builder.segment(0x50000, 128, 2).inactive(128);
  const MemoryState state = replay(builder.read());
  const std::vector<Place> places = places_of(state);
  REQUIRE(places.size() == 4);
  CHECK(places[0].totals.segments == 2);
  CHECK(places[0].totals.reserved_bytes == 6144);
  CHECK(places[0].totals.allocated_bytes == 1024);
  CHECK(places[0].totals.pending_free_bytes == 2048);
  CHECK(places[0].totals.requested_bytes == 3000);
  CHECK(places[1].stream == 7);
  CHECK(places[2].pool == PoolId{0, 3});
  CHECK(places[2].totals.inactive_bytes == 256);
  CHECK(places[3].device == DeviceId{2});
  std::uint64_t reserved_bytes = 0;
  for (const Place& place : places)
    reserved_bytes += place.totals.reserved_bytes;
  CHECK(reserved_bytes == 4096 + 2048 + 512 + 256 + 128);
  CHECK(places_of(replay(SnapshotBuilder().read())).empty());

  const std::vector<Place> of_one = places_of(state, DeviceId{2});
  REQUIRE(of_one.size() == 1);
  CHECK(of_one[0].totals.reserved_bytes == 128);
  CHECK(places_of(state, DeviceId{1}).empty());
}

TEST_CASE("what is asked of each of many devices costs what is asked of all at once") {
  constexpr std::uint32_t kDevices = 40'000;
  SmallSnapshot small;
  for (std::uint32_t device = 0; device < kDevices; ++device)
    small.segment(0x10000, 4096, 0, device).inactive(4096);
  const MemoryState state = replay(small.take());
  const std::clock_t start = std::clock();
  std::size_t places = 0;
  for (std::uint32_t device = 0; device < kDevices; ++device) {
    places += places_of(state, DeviceId{device}).size();
    CHECK(find_pins(state, {.device = DeviceId{device}}).segments.empty());
  }
  CHECK(places == kDevices);
  // All of all devices for each of them takes minutes.
  CHECK(std::clock() - start < 4 * CLOCKS_PER_SEC);
}
