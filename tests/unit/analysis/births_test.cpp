#include "memviz/births.hpp"

#include "support/files.hpp"
#include "support/small_snapshot.hpp"

#include "memviz/input.hpp"

#include <doctest/doctest.h>
#include <map>
#include <utility>

using namespace memviz;
using namespace memviz::test;

namespace {

std::vector<BlockBirth> births_of(const Snapshot& snapshot, const Replay& replay) {
  BirthFinder finder(snapshot, replay);
  for (std::uint32_t device = 0; device < snapshot.traces.size(); ++device) {
    const EventTable& table = snapshot.traces[device];
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
  choice.event = event;
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
  Snapshot snapshot = builder.take();
  SUBCASE("at the end") {
    const std::vector<BlockBirth> births = births_of(snapshot, replay(snapshot));
    CHECK(births[0].earlier_uses == 2);
    CHECK(births[0].time_us == 2000);
    CHECK(births[1].earlier_uses == 0);
    CHECK_FALSE(births[1].time_us);
  }
  SUBCASE("at an earlier moment") {
    const Replay replayed = rewind(snapshot, after(1));
    const std::vector<BlockBirth> births = births_of(snapshot, replayed);
    CHECK(births[0].earlier_uses == 1);
    CHECK(births[0].time_us == 1000);
  }
  SUBCASE("whatever the reader starts again") {
    const Replay replayed = replay(snapshot);
    BirthFinder finder(snapshot, replayed);
    const std::vector<Event> first{snapshot.traces[0][0], snapshot.traces[0][1]};
    finder.take(0, first);
    finder.restart();
    CHECK(finder.births()[0].earlier_uses == 0);
  }
}

TEST_CASE("every block of testdata whose alloc is recorded has that event's time") {
  std::size_t told = 0;
  for (const auto& path : files_in(testdata(), ".pickle")) {
    Snapshot snapshot = read_snapshot(read_input(path.string()).bytes());
    const Replay replayed = rewind(snapshot, at_auto());
    const std::vector<BlockBirth> births = births_of(snapshot, replayed);
    REQUIRE(births.size() == snapshot.blocks.size());
    for (const Segment& segment : snapshot.segments)
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
        if (replayed.block_alloc_event[i] == kNoEvent) continue;
        CHECK(births[i].time_us == snapshot.traces[segment.device][replayed.block_alloc_event[i]].time_us);
        ++told;
      }
  }
  CHECK(told > 900);
}
