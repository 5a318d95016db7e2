#include "memviz/timeline.hpp"

#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"
#include "support/timeline_check.hpp"
#include "timeline/timeline_layout.hpp"

#include "memviz/input.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace memviz {

using namespace test;

namespace {

/// Allocations that come and go at random addresses, many of them reused, from seven lines of code or without a stack.
Recording random_snapshot(std::uint32_t seed, std::size_t events) {
  std::mt19937 random(seed);
  test::SmallSnapshot snapshot;
  std::vector<StackId> stacks{kNoFrames};
  for (int line = 1; line <= 7; ++line)
    stacks.push_back(snapshot.stack({"/app/model.py:" + std::to_string(line) + ":forward"}));
  snapshot.segment(0x1000, 1 << 20).active(512, 300).active(512, 200, stacks[2]).inactive((1 << 20) - 1024);
  std::vector<std::uint64_t> live;
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (std::size_t i = 0; i < events; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      const std::size_t which = random() % live.size();
      const std::uint64_t address = live[which];
      snapshot.event(Action::free_requested, address, sizes[address]);
      snapshot.event(Action::free_completed, address, sizes[address]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (random() % 10 == 0) {
      snapshot.event(Action::free_completed, 0x90000 + i, 64); // of before the recording
    } else {
      const std::uint64_t address = 0x2000 + 512 * (random() % 4000);
      if (sizes.contains(address) && std::find(live.begin(), live.end(), address) != live.end()) continue;
      sizes[address] = 1 + random() % 512;
      live.push_back(address);
      snapshot.event(Action::alloc, address, sizes[address], stacks[random() % stacks.size()]);
    }
  }
  return snapshot.take();
}

/// Returns how high a shape is in a column, in half pixels.
std::int32_t height_in(const render::TimelineShape& shape, std::uint32_t column) {
  std::int32_t height = 0;
  for (const render::ShapeStep& step : shape.steps)
    if (step.first <= column) height = step.bottom - step.top;
  return column < shape.end ? height : 0;
}

} // namespace

TEST_CASE("bytes are conserved whatever is drawn of a recording") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const Recording snapshot = random_snapshot(seed, 3000);
    const std::vector<std::int64_t> live = replayed_live(snapshot, {});
    const std::int64_t highest = *std::max_element(live.begin(), live.end());
    const std::vector<DeviceRecord> records = record_timeline(snapshot);
    for (const std::size_t bands : {std::size_t{0}, std::size_t{1}, std::size_t{40}, std::size_t{100'000}}) {
      for (const std::size_t slices : {std::size_t{1}, std::size_t{30}, std::size_t{100'000}}) {
        CAPTURE(bands);
        CAPTURE(slices);
        const BandChart chart =
            chart_bands(records.front(), whole(records.front()), {.most_bands = bands, .most_slices = slices});
        check_conserves_bytes(chart, live);
        CHECK(chart.bands.size() <= bands);
        CHECK(static_cast<std::int64_t>(chart.slices[chart.peak].live_bytes) == highest);
        CHECK(static_cast<std::int64_t>(
                  std::min_element(chart.slices.begin(), chart.slices.end(), [](const Slice& left, const Slice& right) {
                    return left.live_bytes < right.live_bytes;
                  })->live_bytes) == *std::min_element(live.begin(), live.end()));
      }
    }
  }
}

TEST_CASE("what is not a band is part of a strip, whatever is drawn of a recording") {
  const Recording snapshot = random_snapshot(11, 3000);
  const MemoryState accounts = test::end_of(snapshot);
  const LifeLines lines(accounts);
  const DeviceRecord record = record_timeline(snapshot).front();
  for (const TimelineKind kind : {TimelineKind::allocations, TimelineKind::segments}) {
    for (const std::size_t bands : {std::size_t{0}, std::size_t{40}, std::size_t{100'000}}) {
      for (const std::size_t slices : {std::size_t{30}, std::size_t{100'000}}) {
        const BandChart chart =
            chart_bands(record, {200, 2000}, {.kind = kind, .most_bands = bands, .most_slices = slices});
        for (const std::size_t most : {std::size_t{0}, std::size_t{3}, std::size_t{100}}) {
          const std::vector<Strip> strips = chart_strips(lines, record, chart, kind, most);
          check_strips_add_up(strips, chart);
          CHECK(strips.size() <= 2 * (most + 1));
        }
      }
    }
  }
}

TEST_CASE("a column shows all that is live in its highest state, and nothing else") {
  const Recording snapshot = random_snapshot(5, 3000);
  const MemoryState end = test::end_of(snapshot);
  const DeviceRecord record = record_timeline(snapshot).front();
  const BandChart bands = chart_bands(record, whole(record), {.most_bands = 100'000, .most_slices = 100'000});
  const std::vector<Strip> strips = chart_strips(LifeLines(end), record, bands, TimelineKind::allocations, 12);
  const Window all = whole(record);
  const render::StateScale states(record, TimelineAxis::event, all,
                                  render::axis_range(record, TimelineAxis::event, all));
  const render::ByteScale bytes(bands.slices[bands.peak].live_bytes, 0, 400, 0);
  const auto shapes = render::lay_out_stack({bands, strips, states, bytes}, 1'000'000);
  REQUIRE(shapes);
  REQUIRE(shapes->runs.size() > 100);
  for (const render::ColumnRun& run : shapes->runs) {
    std::int32_t height = 0;
    for (const std::vector<render::TimelineShape>* const part : {&shapes->bands, &shapes->strips})
      for (const render::TimelineShape& shape : *part)
        height += height_in(shape, run.first);
    CHECK(height == height_in(shapes->live, run.first));
  }
}

TEST_CASE("a window shows its own states") {
  const Recording snapshot = random_snapshot(7, 2000);
  const std::vector<std::int64_t> live = replayed_live(snapshot, {});
  const std::vector<DeviceRecord> records = record_timeline(snapshot);
  const Window window{500, 900};
  for (const std::size_t slices : {std::size_t{20}, std::size_t{10'000}}) {
    const BandChart chart = chart_bands(records.front(), window, {.most_bands = 50, .most_slices = slices});
    check_conserves_bytes(chart, live);
    CHECK(chart.slices.front().state == 500);
    CHECK(chart.slices.back().state <= 900);
    CHECK(static_cast<std::int64_t>(chart.slices[chart.peak].live_bytes) ==
          *std::max_element(live.begin() + 500, live.begin() + 901));
  }
}

TEST_CASE("peaks of real snapshots are those of the oracle") {
  const auto folder = test::shared_folder();
  if (!folder) return;
  std::size_t count = 0;
  for (const auto& path : test::files_in(*folder / "snapshots", ".pickle")) {
    CAPTURE(path.string());
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    const nlohmann::json wanted =
        nlohmann::json::parse(test::read_bytes((*folder / "oracle" / path.stem()).string() + ".json"));
    const MemoryState accounts = test::end_of(snapshot);
    const LifeLines lines(accounts);
    const std::vector<DeviceRecord> records = record_timeline(snapshot);
    REQUIRE(records.size() == wanted.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      for (const std::size_t slices : {std::size_t{3}, std::size_t{4500}}) {
        const BandChart chart = chart_bands(records[i], whole(records[i]), {.most_bands = 100, .most_slices = slices});
        const Slice& peak = chart.slices[chart.peak];
        CHECK(peak.live_bytes == wanted[i]["peak_requested_bytes"]);
        CHECK(static_cast<std::int64_t>(peak.state) - 1 == wanted[i]["peak_event"]);
        check_conserves_bytes(chart, replayed_live(snapshot, records[i].device));
        check_strips_add_up(chart_strips(lines, records[i], chart, TimelineKind::allocations, 12), chart);
      }
      CHECK(records[i].reserved.back().bytes == wanted[i]["reserved_bytes"]);
    }
    ++count;
  }
  CHECK(count > 0);
}

} // namespace memviz
