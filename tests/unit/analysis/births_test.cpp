#include "memviz/births.hpp"

#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include "memviz/input.hpp"

#include <doctest/doctest.h>
#include <map>
#include <utility>

using namespace memviz;
using namespace memviz::test;

namespace {

std::vector<BlockBirth> births_of(const MemoryState& state) {
  const Recording& snapshot = *state.recording;
  BirthFinder finder(state);
  for (const auto& [device, table] : snapshot.traces) {
    std::vector<Event> events;
    for (std::size_t i = 0; i < table.size(); ++i)
      events.push_back(table[i]);
    finder.take(device, events);
  }
  return finder.births();
}

MomentChoice after(std::int64_t event) {
  MomentChoice choice;
  choice.kind = MomentKind::event;
  choice.event = EventIndex::last_of(static_cast<std::uint64_t>(event + 1));
  return choice;
}

MomentChoice at_auto() {
  MomentChoice choice;
  choice.kind = MomentKind::automatic;
  return choice;
}

} // namespace

TEST_CASE("a block's name counts the uses of its address before it") {
  SmallSnapshot builder;
  builder.segment(0x1000, 4096).active(512, 500).active(512, 400).inactive(3072);
  builder.event(Action::free_completed, 0x1000, 300); // of before the recording
  builder.time(1000).event(Action::alloc, 0x1000, 100);
  builder.event(Action::free_requested, 0x1000, 100).event(Action::free_completed, 0x1000, 100);
  builder.time(2000).event(Action::alloc, 0x1000, 500);
  Recording snapshot = builder.take();
  SUBCASE("at the end") {
    const std::vector<BlockBirth> births = births_of(end_of(snapshot));
    CHECK(births[0].earlier_uses == 2);
    CHECK(births[0].time_us == 2000);
    CHECK(births[1].earlier_uses == 0);
    CHECK_FALSE(births[1].time_us);
  }
  SUBCASE("at an earlier moment") {
    const MemoryState replayed = state_at(snapshot, after(1));
    const std::vector<BlockBirth> births = births_of(replayed);
    CHECK(births[0].earlier_uses == 1);
    CHECK(births[0].time_us == 1000);
  }
  SUBCASE("whatever the reader starts again") {
    const MemoryState replayed = end_of(snapshot);
    BirthFinder finder(replayed);
    const std::vector<Event> first{snapshot.traces[DeviceId{0}][0], snapshot.traces[DeviceId{0}][1]};
    finder.take({}, first);
    finder.restart();
    CHECK(finder.births()[0].earlier_uses == 0);
  }
}

TEST_CASE("every block of testdata whose alloc is recorded has that event's time") {
  std::size_t told = 0;
  for (const auto& path : files_in(testdata(), ".pickle")) {
    Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    const MemoryState replayed = state_at(snapshot, at_auto());
    const std::vector<BlockBirth> births = births_of(replayed);
    REQUIRE(births.size() == replayed.blocks.size());
    for (const Segment& segment : replayed.segments)
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
        if (replayed.histories[i].alloc_event == kNoEvent) continue;
        CHECK(births[i].time_us == snapshot.traces[segment.device][replayed.histories[i].alloc_event.value()].time_us);
        ++told;
      }
  }
  CHECK(told > 900);
}
