#include "memviz/line_peaks.hpp"

#include "memviz/flame.hpp"
#include "memviz/ranks.hpp"
#include "memviz/replay.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <string>
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

TEST_CASE("a line of C++ in the part of a rank has no address, which differs from process to process") {
  test::SmallSnapshot made;
  const StackId library = made.stack({"/lib/libtorch_cpu.so:34082790:at::native::sum"});
  const StackId script = made.stack({"/app/train.py:1:main"});
  made.segment(0x1000, 2'000).active(1'500, 1'500, library).active(500, 500, script);
  MemoryState state = replay(std::make_shared<const Recording>(made.take()));
  test::set_kinds(state, {{}, {}});
  const RankPart part = part_of("rank0.pickle", state, LinePeaks());
  std::vector<std::string> lines;
  for (const LineMemory& line : part.held)
    lines.push_back(line.line);
  CHECK(lines == std::vector<std::string>{"at::native::sum", "main train.py:1"});
}
