#include "engine/bands.hpp"

#include "engine/page_file.hpp"
#include "support/files.hpp"
#include "support/page_engine.hpp"
#include "support/snapshot_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

using namespace memviz;
using namespace memviz::test;
using view::BandGrid;
using view::Bands;
using view::PageFile;
using view::Walk;

namespace {

using Indices = std::vector<std::uint32_t>;

/// The live allocations of a state, from the bottom: looked at one by one.
Indices stacked(const Walk& walk, std::string_view by, std::uint32_t state) {
  const Scrub& scrub = walk.scrub();
  Indices live;
  for (std::uint32_t index = 0; index < scrub.size(); ++index)
    if (scrub.life(index).lives_in(state)) live.push_back(index);
  const bool is_by_class = &walk.classes(by) != &walk.classes("line");
  std::stable_sort(live.begin(), live.end(), [&](std::uint32_t left, std::uint32_t right) {
    const auto place = [&](std::uint32_t index) {
      return std::make_tuple(is_by_class ? walk.classes(by).of_life[index] : 0, scrub.life(index).begin);
    };
    return place(left) < place(right);
  });
  return live;
}

/// The allocation at a height; kNone above all of them.
std::uint32_t at_height(const Walk& walk, const Indices& live, double bytes) {
  std::uint64_t below = 0;
  for (const std::uint32_t index : live) {
    below += walk.scrub().life(index).size_bytes;
    if (bytes < static_cast<double>(below)) return index;
  }
  return Bands::kNone;
}

void check_columns(Walk& walk, std::string_view by, const BandGrid& grid) {
  const Bands drawn = view::bands(walk, by, grid);
  REQUIRE(drawn.bytes.size() == grid.columns);
  REQUIRE(drawn.lives.size() == grid.columns * grid.rows);
  const std::vector<std::uint32_t> states = view::column_states(walk, grid.window, grid.axis, grid.columns);
  for (std::size_t column = 0; column < grid.columns; ++column) {
    const Indices live = stacked(walk, by, states[column]);
    const auto sum = std::accumulate(live.begin(), live.end(), std::uint64_t{0}, [&](std::uint64_t bytes, auto index) {
      return bytes + walk.scrub().life(index).size_bytes;
    });
    CHECK(drawn.bytes[column] == static_cast<double>(sum));
    for (std::size_t row = 0; row < grid.rows; ++row) {
      const std::uint32_t index = drawn.lives[column * grid.rows + row];
      const double height = grid.base_bytes + (static_cast<double>(row) + 0.5) * grid.bytes_per_row;
      CHECK(index == at_height(walk, live, height));
      const std::uint8_t value = drawn.values[column * grid.rows + row];
      CHECK((value == 0) == (index == Bands::kNone));
      if (value != 0) CHECK((value - 1) / 2 == walk.classes(by).of_life[index]);
    }
  }
}

} // namespace

TEST_CASE("each pixel has the allocation at its middle, and each column the bytes of all") {
  for (const std::string name : {"training_step", "oom", "devices_streams", "gen_2.15_host", "unbalanced",
                                 "ring_lost_history", "segments_only", "keepers_key"}) {
    CAPTURE(name);
    PageFile file(name, input_of(read_bytes(testdata_file(name))));
    for (const DeviceRecord& record : file.timeline()) {
      Walk& walk = file.walk(record.device);
      const std::uint64_t peak = file.end().device_at(record.device)->figures.peak_requested_bytes;
      for (const std::string by : {"line", "kind", "keeper", "origin"}) {
        const double row_bytes = std::max(1.0, static_cast<double>(peak) / 23);
        check_columns(walk, by, {{0, record.events}, TimelineAxis::event, 11, 25, row_bytes});
        check_columns(walk, by, {{record.events / 3, record.events / 2}, TimelineAxis::time, 5, 9, row_bytes});
        check_columns(walk, by, {{0, record.events}, TimelineAxis::event, 7, 9, row_bytes / 3, 7.5 * row_bytes});
      }
    }
  }
}

TEST_CASE("rows leave the wanted room above the highest value of the curve") {
  view::Engine engine;
  add_testdata(engine, "training_step");
  const nlohmann::json part{{"columns", 40}, {"rows", 60}, {"by", "kind"}};
  const auto ask = [&](nlohmann::json more) {
    more.update(part);
    return answered(engine, more);
  };
  const std::string curve = ask({{"ask", "curve"}});
  std::vector<double> values(curve.size() / sizeof(double));
  std::memcpy(values.data(), curve.data(), curve.size());
  double most = 1;
  const std::size_t width = values.size() / 40;
  for (std::size_t column = 0; column < 40; ++column)
    most = std::max({most, values[column * width + 1], values[column * width + 2]});
  const auto row_bytes = static_cast<std::uint64_t>(std::ceil(most * 112 / 100 / 60));
  CHECK(ask({{"ask", "bands"}, {"headroom", 112}}) == ask({{"ask", "bands"}, {"bytes_per_row", row_bytes}}));
}

TEST_CASE("bands are stacked by their beginning, and every second one of a class has another value") {
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x3000, 100, {"a.py:1:f"}).alloc(0x1000, 200, {"a.py:1:f"}).alloc(0x2000, 100, {"a.py:1:f"});
  snapshot.free(0x1000, 200);
  PageFile file("a", input_of(snapshot.pickle()));
  Walk& walk = file.walk(std::nullopt);
  walk.scrub().go(2);
  const std::uint32_t events = walk.record().events;
  const Bands drawn = view::bands(walk, "line", {{3, events}, TimelineAxis::event, 3, 5, 100});
  constexpr std::uint32_t kNone = Bands::kNone;
  CHECK(drawn.lives == Indices{0, 1, 1, 2, kNone, 0, 1, 1, 2, kNone, 0, 2, kNone, kNone, kNone});
  CHECK(drawn.values == std::vector<std::uint8_t>{1, 2, 2, 1, 0, 1, 2, 2, 1, 0, 1, 1, 0, 0, 0});
  CHECK(drawn.bytes == std::vector<double>{400, 400, 200});
  CHECK(walk.scrub().state() == 2);
}

TEST_CASE("a page that asks for more pixels than a screen has gets fewer rows") {
  view::Engine engine;
  add_testdata(engine, "oom");
  const std::string drawn = answered(engine, {{"ask", "bands"}, {"columns", 16000}, {"rows", 1000000}});
  CHECK(drawn.size() == 16000 * 8 + std::size_t{16000} * 500 * 5);
}
