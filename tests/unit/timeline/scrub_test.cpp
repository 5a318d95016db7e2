#include "memviz/scrub.hpp"

#include "memviz/input.hpp"
#include "support/files.hpp"
#include "support/rewound.hpp"
#include "support/scrubbed.hpp"
#include "support/states.hpp"
#include "support/timeline_check.hpp"
#include "support/traced.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <random>
#include <set>

namespace memviz {

using namespace test;

namespace {

using Indices = std::vector<std::uint32_t>;

Indices sorted(Indices indices) {
  std::sort(indices.begin(), indices.end());
  return indices;
}

Indices live_now(const Scrub& scrub) {
  Indices live;
  scrub.for_each_live([&](std::uint32_t index) { live.push_back(index); });
  return live;
}

/// The allocations that live in a state, looked at one by one.
Indices living_in(const Scrub& scrub, std::uint32_t state) {
  Indices live;
  for (std::uint32_t index = 0; index < scrub.size(); ++index)
    if (scrub.life(index).lives_in(state)) live.push_back(index);
  return live;
}

/// Whether the allocation that it finds at the address of each is live in a state, and one is found for each that is.
bool finds_living(const Scrub& scrub, std::uint32_t state) {
  for (std::uint32_t index = 0; index < scrub.size(); ++index) {
    const Life& life = scrub.life(index);
    const auto found = scrub.living_at(life.address, state);
    if (life.lives_in(state) && !found) return false;
    if (found && (scrub.life(*found).address != life.address || !scrub.life(*found).lives_in(state))) return false;
  }
  return !scrub.living_at(1, state);
}

/// Whether all that it says of the state where it is agrees with the lives of the record.
bool agrees(const Scrub& scrub, std::uint32_t state) {
  const Indices wanted = living_in(scrub, state);
  Indices marked;
  for (std::uint32_t index = 0; index < scrub.size(); ++index)
    if (scrub.is_live(index)) marked.push_back(index);
  const Indices live = live_now(scrub);
  const bool is_by_address = std::is_sorted(live.begin(), live.end(), [&](std::uint32_t left, std::uint32_t right) {
    return scrub.life(left).address < scrub.life(right).address;
  });
  return scrub.state() == state && scrub.live_count() == wanted.size() && sorted(live) == wanted && marked == wanted &&
         is_by_address;
}

/// The changes of a state, from the lives one by one: index and whether it began.
std::set<std::pair<std::uint32_t, bool>> changes_of(const Scrub& scrub, std::uint32_t state) {
  std::set<std::pair<std::uint32_t, bool>> changes;
  for (std::uint32_t index = 0; index < scrub.size() && state > 0; ++index) {
    if (scrub.life(index).begin == state) changes.emplace(index, true);
    if (scrub.life(index).end == state) changes.emplace(index, false);
  }
  return changes;
}

/// Whether the difference of two states takes what is live in the earlier one to what is live in the later.
bool finds_difference(const Scrub& scrub, std::uint32_t before, std::uint32_t after) {
  const Indices first = living_in(scrub, before);
  std::set<std::uint32_t> live(first.begin(), first.end());
  bool is_right = true;
  scrub.for_each_difference(before, after, [&](std::uint32_t index, bool begins) {
    is_right = (begins ? live.insert(index).second : live.erase(index) == 1) && is_right;
  });
  return is_right && Indices(live.begin(), live.end()) == living_in(scrub, after);
}

/// Forward, backward, by jumps, and with checkpoints near together and far apart.
void check_every_state(const DeviceRecord& record) {
  for (const std::uint32_t distance : {1U, 3U, Scrub::kLeastDistance}) {
    CAPTURE(distance);
    Scrub scrub(record, distance);
    std::size_t wrong = 0;
    const auto count = [&](bool is_right) {
      if (!is_right) ++wrong;
    };
    count(agrees(scrub, 0));
    while (scrub.state() < record.events) {
      scrub.step();
      std::set<std::pair<std::uint32_t, bool>> changes;
      scrub.for_each_change([&](std::uint32_t index, bool begins) { changes.emplace(index, begins); });
      count(agrees(scrub, scrub.state()) && changes == changes_of(scrub, scrub.state()));
    }
    for (std::uint32_t state = record.events; state-- > 0;) {
      scrub.go(state);
      count(agrees(scrub, state));
    }
    std::mt19937 random(distance);
    for (int jump = 0; jump < 50; ++jump) {
      const auto state = static_cast<std::uint32_t>(random() % record.states());
      scrub.go(state);
      count(agrees(scrub, state) && finds_living(scrub, state));
      count(finds_difference(scrub, state, state + static_cast<std::uint32_t>(random() % (record.states() - state))));
    }
    CHECK(wrong == 0);
  }
}

using AddressAndBytes = std::pair<std::uint64_t, std::uint64_t>;

/// The blocks that a rewound state has in use on a device.
std::set<AddressAndBytes> blocks_in_use(const MemoryState& state, DeviceId device) {
  std::set<AddressAndBytes> blocks;
  for (const Segment& segment : state.segments_of(device))
    for (const Block& block : state.blocks_of(segment))
      if (block.is_active()) blocks.emplace(block.address, block.requested_bytes);
  return blocks;
}

std::set<AddressAndBytes> lives_now(const Scrub& scrub) {
  std::set<AddressAndBytes> lives;
  scrub.for_each_live(
      [&](std::uint32_t index) { lives.emplace(scrub.life(index).address, scrub.life(index).size_bytes); });
  return lives;
}

/// Holds what lives after every event against the state that rewind() makes of it.
void check_against_rewind(const Recording& recording, const DeviceRecord& record) {
  Scrub scrub(record, 2);
  for (std::uint32_t state = 0; state < record.events; ++state) {
    CAPTURE(state);
    MomentChoice choice = after_event(std::int64_t{state} - 1);
    choice.device = record.device;
    const MemoryState rewound =
        state == 0 ? before_first_event(borrowed(recording)) : rewind(borrowed(recording), choice);
    const DeviceState& device = *rewound.device_at(record.device);
    scrub.go(state);
    CHECK(static_cast<std::int64_t>(test::bytes_of(scrub)) + test::corrections_until(record, state) ==
          static_cast<std::int64_t>(device.figures.requested_bytes));
    if (device.outside.empty() && device.misfits.overwritten_allocations == 0)
      CHECK(lives_now(scrub) == blocks_in_use(rewound, record.device));
  }
}

void check_recording(const Recording& recording) {
  for (const DeviceRecord& record : record_timeline(recording)) {
    CAPTURE(record.device.value);
    check_every_state(record);
    check_against_rewind(recording, record);
  }
}

/// The names that `trace` gives to the allocations that began with an event, or whose end is all that is recorded.
std::map<std::pair<DeviceId, std::uint64_t>, std::string> traced_names(const std::string& bytes) {
  std::map<std::pair<DeviceId, std::uint64_t>, std::string> names;
  for (const nlohmann::json& line : objects(bytes)) {
    if (line["kind"] != "event") continue;
    if (line["action"] == "alloc" || (line["action"] == "free_completed" && !line.contains("began_event")))
      names[{line["device"] == "host" ? kHostDevice : DeviceId{line["device"]}, line["event"]}] = line["name"];
  }
  return names;
}

void check_names(const std::string& bytes) {
  const auto names = traced_names(bytes);
  for (const DeviceRecord& record : record_timeline(read_snapshot(bytes))) {
    const Scrub scrub(record);
    for (std::uint32_t index = 0; index < scrub.size(); ++index) {
      const Life& life = scrub.life(index);
      const std::uint32_t state = index < record.lives.size() ? life.begin : life.end;
      if (state == kForever) continue;
      CHECK(fmt::format("b{:x}_{}", life.address, scrub.earlier_uses(index)) == names.at({record.device, state - 1}));
      CHECK(scrub.named(life.address, scrub.earlier_uses(index)) == index);
    }
  }
}

SnapshotBuilder reused_addresses() {
  SnapshotBuilder snapshot;
  small(snapshot, 0x1000, 2 * MiB).active(512, 300).active(512, 100).inactive(2 * MiB - 1024);
  snapshot.free(0x1000, 200); // of the baseline
  snapshot.alloc(0x1000, 400);
  snapshot.alloc(0x1400, 512);
  snapshot.free(0x1000, 400);
  snapshot.free(0x1400, 512);
  snapshot.alloc(0x1000, 300); // kept, as the baseline at 0x1200 is
  return snapshot;
}

} // namespace

TEST_CASE("scrub finds what lives at every event of a small file, as rewind() does") {
  for (const auto& path : files_in(testdata(), ".pickle")) {
    CAPTURE(path.string());
    const Recording recording = read_snapshot(read_input(path.string()).bytes());
    for (const DeviceRecord& record : record_timeline(recording)) {
      if (record.events > 400) continue;
      check_every_state(record);
      check_against_rewind(recording, record);
    }
  }
}

TEST_CASE("scrub of addresses that are used twice, with a baseline that is freed and one that is kept") {
  const SnapshotBuilder snapshot = reused_addresses();
  check_recording(snapshot.read());
  check_names(snapshot.pickle());

  const Recording recording = snapshot.read();
  const DeviceRecord record = record_timeline(recording).front();
  Scrub scrub(record);
  REQUIRE(scrub.size() == 5);
  CHECK(test::bytes_of(scrub) == 300); // 200 that are freed, 100 that are kept
  scrub.go(record.events);
  CHECK(test::bytes_of(scrub) == 400);
  CHECK(lives_now(scrub) == std::set<AddressAndBytes>{{0x1000, 300}, {0x1200, 100}});
}

TEST_CASE("scrub lists the allocations of an address in the order of their lives") {
  const Recording recording = reused_addresses().read();
  const DeviceRecord record = record_timeline(recording).front();
  const Scrub scrub(record);
  // The lives: 0, 2 at 0x1000; 1 at 0x1400; the baseline that was freed, 3, at 0x1000; and the one that is kept, 4.
  CHECK(scrub.at_its_address(0, 20) == Indices{3, 0, 2});
  CHECK(scrub.at_its_address(2, 20) == Indices{3, 0, 2});
  CHECK(scrub.at_its_address(3, 1) == Indices{3, 0});
  CHECK(scrub.at_its_address(2, 1) == Indices{0, 2});
  CHECK(scrub.at_its_address(2, 0) == Indices{2});
  CHECK(scrub.at_its_address(1, 20) == Indices{1});
  CHECK(scrub.at_its_address(4, 20) == Indices{4});
  CHECK(scrub.earlier_uses(3) == 0);
  CHECK(scrub.earlier_uses(0) == 1);
  CHECK(scrub.earlier_uses(2) == 2);
  CHECK(scrub.named(0x1000, 1) == 0);
  CHECK_FALSE(scrub.named(0x1000, 3));
  CHECK_FALSE(scrub.named(0x1300, 0));
  CHECK_FALSE(scrub.named(0xF000, 0));
}

TEST_CASE("scrub of an allocation that is never freed, whose address is given out again") {
  SnapshotBuilder snapshot;
  small(snapshot, 0x1000, 2 * MiB).active(512, 300).inactive(2 * MiB - 512);
  snapshot.alloc(0x1000, 400).alloc(0x1000, 200).free(0x1000, 200).alloc(0x1000, 300);
  check_recording(snapshot.read());
  check_names(snapshot.pickle());
}

TEST_CASE("scrub of a free after the last one of its address: another allocation of the baseline") {
  SnapshotBuilder snapshot;
  small(snapshot, 0x1000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x1000, 400).free(0x1000, 400).free(0x1000, 100).alloc(0x1000, 400).free(0x1000, 400);
  check_every_state(record_timeline(snapshot.read()).front());
  check_names(snapshot.pickle());
}

TEST_CASE("scrub of frees that name another size than their allocs") {
  SnapshotBuilder snapshot;
  small(snapshot, 0x1000, 2 * MiB).active(512, 500).inactive(2 * MiB - 512);
  snapshot.alloc(0x1000, 400).free(0x1000, 300).alloc(0x1200, 64).free(0x1200, 512).alloc(0x1000, 500);
  const Recording recording = snapshot.read();
  check_every_state(record_timeline(recording).front());
  const std::vector<std::int64_t> live = replayed_live(recording, {});
  const DeviceRecord record = record_timeline(recording).front();
  Scrub scrub(record, 1);
  for (std::uint32_t state = 0; state <= record.events; ++state) {
    scrub.go(state);
    CHECK(static_cast<std::int64_t>(test::bytes_of(scrub)) + test::corrections_until(record, state) == live[state]);
  }
}

TEST_CASE("scrub of a file without events has one state") {
  SnapshotBuilder snapshot;
  small(snapshot, 0x1000, 2 * MiB).active(512, 300).pending(512, 200).inactive(2 * MiB - 1024);
  const Recording recording = snapshot.read();
  const DeviceRecord record = record_timeline(recording).front();
  check_every_state(record);
  Scrub scrub(record);
  scrub.go(0);
  CHECK(scrub.live_count() == 2);
  CHECK(test::bytes_of(scrub) == 500);
  CHECK(scrub.kind(0).kind == KindOf().kind);
}

TEST_CASE("scrub of a device where nothing lives") {
  const DeviceRecord record;
  Scrub scrub(record);
  scrub.go(0);
  CHECK(scrub.size() == 0);
  CHECK(scrub.live_count() == 0);
  CHECK(live_now(scrub).empty());
}

TEST_CASE("scrub of host memory") {
  SnapshotBuilder snapshot;
  snapshot.host_block(0x10000, 4096, true).host_block(0x20000, 8192, false);
  snapshot.host_event("segment_alloc", 0x10000, 4096).host_event("alloc", 0x10000, 4096);
  snapshot.host_event("segment_alloc", 0x20000, 8192).host_event("alloc", 0x20000, 8192);
  snapshot.host_event("free_requested", 0x20000, 8192).host_event("free_completed", 0x20000, 8192);
  check_recording(snapshot.read());
  check_names(snapshot.pickle());
}

TEST_CASE("names of allocations are those of trace") {
  for (const auto& path : files_in(testdata(), ".pickle")) {
    CAPTURE(path.string());
    check_names(read_bytes(path.string()));
  }
}

TEST_CASE("scrub of many allocations, from checkpoint to checkpoint") {
  std::mt19937 random(5);
  SnapshotBuilder snapshot;
  std::vector<std::uint64_t> live;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t address = 0x1000 + 512 * (random() % 300);
    const auto known = std::find(live.begin(), live.end(), address);
    if (known == live.end()) {
      live.push_back(address);
      snapshot.alloc(address, 512);
    } else {
      live.erase(known);
      snapshot.event("free_completed", address, 512);
    }
  }
  const Recording recording = snapshot.read();
  check_every_state(record_timeline(recording).front());
}

} // namespace memviz
