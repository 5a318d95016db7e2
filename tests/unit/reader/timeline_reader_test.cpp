#include "memviz/error.hpp"
#include "memviz/kinds.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "support/contains.hpp"
#include "support/refusal.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

Recording read(const std::string& rows) {
  return read_snapshot("[" + rows + "]");
}

DeviceFigures figures_of(const std::string& rows) {
  return replay(std::make_shared<const Recording>(read(rows))).devices.at(0).figures;
}

} // namespace

TEST_CASE("the raw memory timeline of a profiler has sizes, times and categories of blocks") {
  const auto read_recording = std::make_shared<const Recording>(
      read("[-1, 1, 4096, 0], [5000, 2, 1024, 4], [7000, 2, 512, 7], [9000, 4, -1024, 4]"));
  const Recording& recording = *read_recording;
  CHECK(recording.origin.encoding == "a profiler's memory timeline");
  CHECK(recording.origin.are_segments_made_up);
  const EventTable& events = recording.events_of({0});
  CHECK(events[0].time_us == 5);
  CHECK(recording.frames.text(events[1].user_metadata) == "parameter");
  const DeviceFigures figures = replay(read_recording).devices.at(0).figures;
  CHECK(figures.requested_bytes == 4096 + 512);
  CHECK(figures.reserved_bytes == 4096 + 512);
  CHECK(figures.peak_requested_bytes == 4096 + 1024 + 512);
  CHECK(figures.balanced());
  CHECK(std::ranges::any_of(recording.warnings, [](const std::string& warning) {
    return contains(warning, "1 block is from before the profiler began");
  }));
}

TEST_CASE("a new version of a tensor is the same memory, of another category where that changed") {
  const std::string created = "[1000, 2, 1024, 3], ";
  const Recording changed = read(created + "[2000, 3, -1024, 3], [2000, 3, 1024, 5]");
  CHECK(changed.events_of({0}).size() == 4);
  CHECK(changed.frames.text(changed.events_of({0})[3].user_metadata) == "gradient");
  CHECK(changed.events_of({0}).address(3) == changed.events_of({0}).address(1));
  CHECK(read(created + "[2000, 3, -1024, 3], [2000, 3, 1024, 3]").events_of({0}).size() == 2);
  const DeviceFigures figures = figures_of(created + "[2000, 3, -1024, 3], [2000, 3, 1024, 5], [3000, 4, -1024, 5]");
  CHECK(figures.requested_bytes == 0);
  CHECK(figures.peak_requested_bytes == 1024);
  CHECK(figures.balanced());
}

TEST_CASE("a timeline of many small blocks from before the profiler began is read") {
  std::string rows = "[5000, 2, 512, 4], [6000, 4, -512, 4]";
  for (int i = 0; i < 20'000; ++i)
    rows += ",[-1, 1, 512, 0]";
  CHECK(figures_of(rows).requested_bytes == 20'000 * 512);
}

TEST_CASE("rows of a timeline that no profiler writes are counted and left out") {
  for (const std::string odd : {"[1, 4, -8, 0]", "[1, 2, 0, 0]", "[1, 2, 8, 9]", "[1, 7, 8, 0]", "[1, 2]", "8",
                                "[1, 3, 8, 0]", "[1, 2, 9223372036854775807, 0]", "[-9, 2, 8, 0]"}) {
    CAPTURE(odd);
    const Recording recording = read("[5000, 2, 1024, 4], " + odd);
    CHECK(contains(recording.warnings.at(1), "1 row left out"));
    CHECK(figures_of("[5000, 2, 1024, 4], " + odd).requested_bytes == 1024);
  }
  CHECK(contains(refusal_of("[[1, 4, -8, 0]]"), "without a block"));
}
