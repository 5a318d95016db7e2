#include "analysis/replay/births.hpp"

#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include "memviz/error.hpp"
#include "memviz/input.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

std::vector<BlockBirth> births_of(const MemoryState& state) {
  std::vector<BlockBirth> births;
  const MemoryState born = with_births(state);
  for (const BlockFacts& facts : born.facts)
    births.push_back(facts.birth.value());
  return births;
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
    MemoryState replayed = end_of(snapshot);
    BirthFinder finder(replayed);
    const std::vector<Event> first{snapshot.traces[DeviceId{0}][0], snapshot.traces[DeviceId{0}][1]};
    finder.take({}, first);
    finder.restart();
    CHECK(replayed.facts[0].birth.value().earlier_uses == 0);
  }
}

TEST_CASE("a block has the annotations of its own life, whenever they were made") {
  SmallSnapshot builder;
  builder.segment(0x1000, 4096).active(512, 500).active(512, 400).active(512, 300).inactive(2560);
  builder.event(Action::alloc, 0x1000, 100).annotate(0x1000, "an earlier use");
  builder.event(Action::free_completed, 0x1000, 100).annotate(0x1000, "nobody's");
  builder.event(Action::alloc, 0x1000, 500).annotate(0x1000, "weights").annotate(0x1000, "of layer 0");
  builder.annotate(0x1000, "weights").annotate(0x1200, "from before").annotate(0x1100, "inside");
  for (std::size_t i = 0; i < 20; ++i)
    builder.annotate(0x1400, "number " + std::to_string(i));
  const Recording snapshot = builder.take();
  const auto texts = [&](const MemoryState& state, std::size_t block) {
    std::vector<std::string_view> found;
    const std::vector<BlockBirth> births = births_of(state);
    for (const StringId text : births[block].annotations)
      found.push_back(snapshot.frames.text(text));
    return found;
  };
  const std::vector<std::string_view> own{"weights", "of layer 0"};
  CHECK(texts(end_of(snapshot), 0) == own);
  CHECK(texts(state_at(snapshot, after(4)), 0) == own);
  CHECK(texts(state_at(snapshot, after(0)), 0) == std::vector<std::string_view>{"an earlier use"});
  CHECK(texts(end_of(snapshot), 1) == std::vector<std::string_view>{"from before"});
  CHECK(texts(end_of(snapshot), 2).size() == BlockBirth::kMostAnnotations);
}

TEST_CASE("stacks and texts that the recording does not have are an error, not an answer") {
  SmallSnapshot builder;
  builder.segment(0x1000, 512).active(512, 500).event(Action::alloc, 0x1000, 500).annotate(0x1000, "weights");
  const Recording snapshot = builder.take();
  const auto read_again = [&](const std::function<void(Event & alloc, Event & annotation)>& change) {
    MemoryState state = end_of(snapshot);
    BirthFinder finder(state);
    std::vector<Event> events{snapshot.traces[DeviceId{0}][0], snapshot.traces[DeviceId{0}][1]};
    change(events[0], events[1]);
    finder.take({}, events);
    finder.finish();
  };
  CHECK_NOTHROW(read_again([](Event&, Event&) {}));
  constexpr std::uint32_t kUnknown = 1'000'000;
  const auto refused = [&](const std::function<void(Event&, Event&)>& change) {
    CHECK_THROWS_WITH_AS(read_again(change), doctest::Contains("the file changed"), Error);
  };
  refused([](Event&, Event& annotation) { annotation.user_metadata = {kUnknown}; });
  refused([](Event& alloc, Event&) { alloc.user_metadata = {kUnknown}; });
  refused([](Event& alloc, Event&) { alloc.compile_context = {kUnknown}; });
  refused([](Event& alloc, Event&) { alloc.internal_metadata = {kUnknown}; });
  refused([](Event& alloc, Event&) { alloc.forward_stack = {kUnknown}; });
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
        if (replayed.facts[i].history.alloc_event == kNoEvent) continue;
        CHECK(births[i].time_us ==
              snapshot.traces[segment.device][replayed.facts[i].history.alloc_event.value()].time_us);
        ++told;
      }
  }
  CHECK(told > 900);
}
