#include "engine/walk.hpp"

#include "memviz/replay.hpp"
#include "memviz/session.hpp"
#include "support/files.hpp"
#include "support/rewound.hpp"
#include "support/scrubbed.hpp"
#include "support/small_snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <optional>

using namespace memviz;
using namespace memviz::test;
using view::Cells;
using view::Walk;

namespace {

/// A recording, and walks through its devices.
struct Walked {
  explicit Walked(Opened&& all) : opened(std::move(all)), lines(opened.state) {
    if (opened.state.recording->keepers.is_recorded) keepers.emplace(KeeperAnswers(*opened.state.recording));
    for (const DeviceRecord& record : opened.timeline)
      walks.emplace_back(opened.state, lines, record, keepers ? &*keepers : nullptr);
  }
  Opened opened;
  LifeLines lines;
  std::optional<EndKeepers> keepers;
  std::vector<Walk> walks;
};

Walked walked(std::string bytes) {
  Session session(unpacked(input_of(std::move(bytes))), {});
  return Walked(session.open({.kinds = true, .timeline = true}));
}

Walked walked_testdata(const std::string& name) {
  return walked(read_bytes(testdata_file(name)));
}

const std::vector<std::string> kFiles = {
    "training_step", "oom",           "devices_streams", "gen_2.15_host", "recorder_key",    "ring_lost_history",
    "empty",         "segments_only", "unbalanced",      "expandable",    "unpaired_events", "gen_2.5_annotations",
    "keepers_key"};

void check_column(const Walk& walk, Scrub& scrub, const double* column, std::size_t classes) {
  const auto state = static_cast<std::uint32_t>(column[0]);
  scrub.go(state);
  const auto live = static_cast<std::int64_t>(column[1]);
  CHECK(live == std::max<std::int64_t>(0, static_cast<std::int64_t>(test::bytes_of(scrub)) +
                                              test::corrections_until(walk.record(), state)));
  CHECK(column[2] == static_cast<double>(walk.reserved_bytes(state)));
  CHECK(std::accumulate(column + 3, column + 3 + classes, 0.0) == static_cast<double>(test::bytes_of(scrub)));
}

} // namespace

TEST_CASE("a curve has the bytes of each class, and its highest column is the peak") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    Walked all = walked_testdata(name);
    for (Walk& walk : all.walks) {
      const DeviceRecord& record = walk.record();
      const DeviceState& device = *all.opened.state.device_at(record.device);
      Scrub scrub(record);
      for (const std::string by : {"line", "kind", "keeper", "origin"}) {
        const std::size_t classes = walk.classes(by).names.size();
        for (const std::size_t columns : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
          for (const TimelineAxis axis : {TimelineAxis::event, TimelineAxis::time}) {
            if (axis == TimelineAxis::time && record.times_us().empty()) continue;
            const std::vector<double> numbers = view::curve(walk, by, {0, record.events}, axis, columns);
            REQUIRE(numbers.size() == columns * (3 + classes));
            double highest = 0;
            for (std::size_t column = 0; column < columns; ++column) {
              const double* const at = numbers.data() + column * (3 + classes);
              CHECK((column == 0 || at[0] >= at[-static_cast<std::ptrdiff_t>(3 + classes)]));
              check_column(walk, scrub, at, classes);
              highest = std::max(highest, at[1]);
            }
            CHECK(highest == static_cast<double>(device.figures.peak_requested_bytes));
          }
        }
      }
    }
  }
}

TEST_CASE("a stretch of a curve stays within it, and leaves the walk where it was") {
  Walked all = walked_testdata("training_step");
  Walk& walk = all.walks.front();
  walk.scrub().go(17);
  const std::vector<double> numbers = view::curve(walk, "kind", {100, 120}, TimelineAxis::event, 21);
  const std::size_t width = 3 + walk.classes("kind").names.size();
  for (std::uint32_t column = 0; column < 21; ++column) {
    CHECK(numbers[column * width] == 100 + column);
    CHECK(numbers[column * width + 1] == static_cast<double>(walk.live_bytes(100 + column)));
  }
  CHECK(view::column_states(walk, {100, 101}, TimelineAxis::event, 5) ==
        std::vector<std::uint32_t>{100, 100, 100, 100, 101});
  CHECK(walk.scrub().state() == 17);
  const std::vector<double> one = view::curve(walk, "line", {5, 5}, TimelineAxis::event, 3);
  CHECK(one[0] == 5);
  CHECK(walk.scrub().state() == 17);
}

TEST_CASE("each allocation is in a class that has a name") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    Walked all = walked_testdata(name);
    for (Walk& walk : all.walks) {
      for (const std::string by : {"line", "kind", "keeper", "origin"}) {
        const view::Classes& classes = walk.classes(by);
        CHECK(classes.of_life.size() == walk.scrub().size());
        CHECK(classes.names.size() < 63); // four values of a byte each
        for (const std::uint8_t own : classes.of_life)
          CHECK(own < classes.names.size());
        for (const view::Classes::Name& one : classes.names) {
          CHECK_FALSE(one.label.empty());
          CHECK(one.light.starts_with("#"));
          CHECK(one.dark.starts_with("#"));
        }
      }
    }
  }
}

TEST_CASE("cells are filled class by class, as far as there is memory") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    Walked all = walked_testdata(name);
    for (Walk& walk : all.walks) {
      for (const std::uint32_t state : {walk.record().events / 2, walk.record().events}) {
        walk.scrub().go(state);
        const auto live = static_cast<double>(test::bytes_of(walk.scrub()));
        constexpr std::size_t kCount = 4000;
        const double cell_bytes = std::max(1.0, live / 3000);
        const Cells cells = view::cells(walk, "line", kCount, cell_bytes, [](std::uint32_t) { return false; });
        REQUIRE(cells.bytes.size() == kCount);
        std::size_t filled = 0;
        std::uint8_t last_class = 0;
        for (std::size_t cell = 0; cell < kCount; ++cell) {
          if (cells.bytes[cell] == 0) {
            CHECK(cells.lives[cell] == Cells::kNone);
            continue;
          }
          CHECK(filled == cell); // without a gap
          ++filled;
          const auto own = static_cast<std::uint8_t>((cells.bytes[cell] - 1) / 4);
          CHECK(own >= last_class);
          last_class = own;
          CHECK(walk.scrub().is_live(cells.lives[cell]));
          CHECK(walk.classes("line").of_life[cells.lives[cell]] == own);
        }
        CHECK(std::abs(static_cast<double>(filled) - live / cell_bytes) <= 1);
      }
    }
  }
}

TEST_CASE("more memory than cells fills all of them, and a search marks its own") {
  Walked all = walked_testdata("training_step");
  Walk& walk = all.walks.front();
  walk.scrub().go(walk.record().events);
  const Cells full = view::cells(walk, "kind", 10, 1, [](std::uint32_t) { return true; });
  for (const std::uint8_t byte : full.bytes)
    CHECK(((byte - 1) & 2) == 2);
  CHECK(view::cells(walk, "kind", 0, 1, [](std::uint32_t) { return true; }).bytes.empty());
}

TEST_CASE("sizes beyond 2^53 bytes are drawn as well") {
  SmallSnapshot snapshot;
  const std::uint64_t huge = (std::uint64_t{1} << 58U) + 1;
  snapshot.event(Action::alloc, 0x1000, huge).event(Action::alloc, huge + 0x2000, 3);
  const auto recording = std::make_shared<const Recording>(snapshot.take());
  const MemoryState state = replay(recording);
  const std::vector<DeviceRecord> records = record_timeline(*recording);
  const LifeLines lines(state);
  Walk walk(state, lines, records.front(), nullptr);
  CHECK(walk.live_bytes(2) == huge + 3);
  walk.scrub().go(2);
  const Cells cells = view::cells(walk, "line", 100, 1, [](std::uint32_t) { return false; });
  CHECK(std::ranges::count(cells.bytes, 0) == 0);
  const std::vector<double> numbers = view::curve(walk, "line", {0, 2}, TimelineAxis::event, 3);
  CHECK(numbers.size() == 3 * (3 + walk.classes("line").names.size()));
}

TEST_CASE("a device without events has one state") {
  Walked all = walked_testdata("segments_only");
  Walk& walk = all.walks.front();
  REQUIRE(walk.record().events == 0);
  const std::vector<double> numbers = view::curve(walk, "line", {0, 0}, TimelineAxis::event, 2);
  const std::size_t width = numbers.size() / 2;
  CHECK(numbers[1] == static_cast<double>(test::bytes_of(walk.scrub())));
  CHECK(std::equal(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width),
                   numbers.begin() + static_cast<std::ptrdiff_t>(width)));
}
