#include "memviz/line_peaks.hpp"

#include "memviz/flame.hpp"
#include "support/small_snapshot.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using namespace memviz;

TEST_CASE("a line holds what it freed until the free completes") {
  test::SmallSnapshot made;
  const StackId line = made.stack({"/app/train.py:1:main"});
  const std::vector<Event> events = [&] {
    std::vector<Event> all{
        test::event_of(Action::alloc, 0x1000, 500), test::event_of(Action::free_requested, 0x1000, 500),
        test::event_of(Action::alloc, 0x2000, 300), test::event_of(Action::free_completed, 0x1000, 500),
        test::event_of(Action::alloc, 0x1000, 400)};
    for (Event& event : all)
      event.stack = line;
    return all;
  }();
  const Recording recording = made.take();
  LinePeaks peaks;
  peaks.begin(recording.frames);
  peaks.take(DeviceId{0}, events);
  const auto found = peaks.of(DeviceId{0});
  REQUIRE(found.size() == 1);
  CHECK(found.begin()->second.bytes == 800);
  CHECK(peaks.of(DeviceId{1}).empty());
}
