#include "memviz/timeline_svg.hpp"

#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/svg_check.hpp"

#include "memviz/error.hpp"
#include "memviz/input.hpp"
#include "timeline/timeline_palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <sstream>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string drawn(const Snapshot& snapshot, const TimelineSvgOptions& options = {}) {
  const Replay accounts = replay(snapshot);
  TimelinePicture picture{.file = "a <b> & c.pickle",
                          .snapshot = snapshot,
                          .accounts = accounts,
                          .devices = {},
                          .warnings = accounts.warnings};
  for (DeviceRecord& record : record_timeline(snapshot)) {
    const Window window{0, record.events};
    picture.devices.push_back({std::move(record), window});
  }
  return timeline_svg(picture, options);
}

Snapshot read(const std::string& name) {
  return read_snapshot(read_input((testdata() / name).string()).bytes());
}

/// Heights of an outline "M…h…v…z": of its upper and its lower edge, by column of three quarters of a pixel.
struct Edges {
  std::vector<double> upper;
  std::vector<double> lower;
};

constexpr double kColumn = 0.75;
constexpr std::size_t kColumns = 2000;

Edges edges_of(const std::string& path) {
  Edges edges{std::vector<double>(kColumns, -1), std::vector<double>(kColumns, -1)};
  std::istringstream in(path);
  char letter = 0;
  double x = 0;
  double y = 0;
  double length = 0;
  in >> letter >> x >> y;
  REQUIRE(letter == 'M');
  while (in >> letter && letter != 'z') {
    in >> length;
    if (letter == 'v') {
      y += length;
      continue;
    }
    REQUIRE(letter == 'h');
    const auto first = static_cast<std::size_t>(std::lround(std::min(x, x + length) / kColumn));
    const auto last = static_cast<std::size_t>(std::lround(std::max(x, x + length) / kColumn));
    REQUIRE(last < kColumns);
    for (std::size_t column = first; column < last; ++column)
      (length > 0 ? edges.upper : edges.lower)[column] = y;
    x += length;
  }
  return edges;
}

std::string path_of(pugi::xml_node panel, const char* css_class) {
  return panel.find_child_by_attribute("path", "class", css_class).attribute("d").as_string();
}

/// What stands upon each other touches, from the ground to the line of live bytes. The panel has no cut scale.
void check_stack(pugi::xml_node panel) {
  std::vector<Edges> shapes;
  for (const pugi::xml_node band : panel.find_child_by_attribute("g", "class", "bands").children("path"))
    if (const std::string path = band.attribute("d").as_string(); !path.empty()) shapes.push_back(edges_of(path));
  for (const char* css_class : {"baseline", "rest"})
    if (const std::string path = path_of(panel, css_class); !path.empty()) shapes.push_back(edges_of(path));
  const Edges live = edges_of(path_of(panel, "live-line"));
  const double ground = panel.child("metadata").attribute("height").as_double();
  std::size_t wrong = 0;
  for (std::size_t column = 0; column < kColumns && live.upper[column] >= 0; ++column) {
    double height = 0;
    for (const Edges& shape : shapes)
      if (shape.upper[column] >= 0 && shape.lower[column] >= 0) height += shape.lower[column] - shape.upper[column];
    if (std::abs(height - (ground - live.upper[column])) > 0.01) ++wrong;
  }
  CHECK(wrong == 0);
}

double luminance(std::string_view colour) {
  const std::array<double, 3> weights{0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    sum += weights.at(i) * (part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(std::string_view one, std::string_view other) {
  const double first = luminance(one);
  const double second = luminance(other);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

} // namespace

TEST_CASE("every snapshot of testdata has a timeline: well-formed, the same bytes each time, within its budget") {
  const auto snapshots = files_in(testdata(), ".pickle");
  REQUIRE(!snapshots.empty());
  for (const auto& path : snapshots) {
    CAPTURE(path.string());
    const Snapshot snapshot = read_snapshot(read_input(path.string()).bytes());
    for (const std::optional<std::size_t> detail : {std::optional<std::size_t>(), std::optional<std::size_t>(3)}) {
      const std::string svg = drawn(snapshot, {.detail = detail});
      CHECK(svg == drawn(snapshot, {.detail = detail}));
      CHECK(svg.size() <= 2'000'000);
      const pugi::xml_document document = parse_svg(svg);
      CHECK(document.select_nodes("//script").size() == 1);
      for (const auto& panel : document.select_nodes("//g[@class='chart']"))
        if (panel.node().child("metadata").attribute("cut").as_ullong() == 0) check_stack(panel.node());
    }
  }
}

TEST_CASE("every snapshot of testdata has a timeline of its segments and of its pools") {
  for (const auto& path : files_in(testdata(), ".pickle")) {
    CAPTURE(path.string());
    const Snapshot snapshot = read_snapshot(read_input(path.string()).bytes());
    for (const TimelineView view : {TimelineView::segments, TimelineView::pools}) {
      const std::string svg = drawn(snapshot, {.view = view});
      CHECK(svg == drawn(snapshot, {.view = view}));
      const pugi::xml_document document = parse_svg(svg);
      for (const auto& panel : document.select_nodes("//g[@class='chart']"))
        if (panel.node().child("metadata").attribute("cut").as_ullong() == 0) check_stack(panel.node());
    }
  }
  const std::string pools = visible_text(parse_svg(drawn(read("pools_tuple.pickle"), {.view = TimelineView::pools})));
  CHECK(pools.find("private pool (") != std::string::npos);
  const std::string segments = visible_text(parse_svg(drawn(read("oom.pickle"), {.view = TimelineView::segments})));
  CHECK(segments.find("Peak reserved ") != std::string::npos);
}

TEST_CASE("the sentence names the peak and the error") {
  const std::string text = visible_text(parse_svg(drawn(read("oom.pickle"))));
  const DeviceStats stats = replay(read("oom.pickle")).devices.front();
  CHECK(text.find("Peak ") != std::string::npos);
  CHECK(text.find("at event " + std::to_string(stats.peak_event)) != std::string::npos);
  CHECK(text.find("out-of-memory error asked for") != std::string::npos);
  CHECK(text.find("reserved and free together at the error") != std::string::npos);
}

TEST_CASE("the peak that is drawn is exact, however much is left out") {
  SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({"/app/train.py:12:step"});
  snapshot.segment(0x1000, 1 << 30).inactive(1 << 30);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    snapshot.event(Action::alloc, 0x10000 + 512 * (i % 64), i == 7777 ? 123'456'789 : 1000, stack);
    snapshot.event(Action::free_completed, 0x10000 + 512 * (i % 64), i == 7777 ? 123'456'789 : 1000);
  }
  const std::string svg = drawn(snapshot.take(), {.max_bytes = 70'000});
  CHECK(svg.size() <= 70'000);
  const pugi::xml_document document = parse_svg(svg);
  CHECK(visible_text(document).find("peak 118 MiB, event 15,554") != std::string::npos);
  const pugi::xml_node panel = document.select_node("//g[@class='chart']").node();
  const Edges live = edges_of(path_of(panel, "live-line"));
  const double highest = *std::min_element(live.upper.begin(), std::find(live.upper.begin(), live.upper.end(), -1));
  CHECK(highest == doctest::Approx(document.select_node("//circle").node().attribute("cy").as_double()).epsilon(0.01));
}

TEST_CASE("a scale is cut only where something happens upon a large baseline") {
  const auto cut_of = [](const Snapshot& snapshot) {
    return parse_svg(drawn(snapshot)).select_node("//g[@class='chart']/metadata").node().attribute("cut").as_ullong();
  };
  SmallSnapshot flat;
  flat.segment(0x1000, 1 << 20).active(1 << 20, 1'000'000);
  CHECK(cut_of(flat.take()) == 0);
  SmallSnapshot busy;
  busy.segment(0x1000, 1 << 20).active(1 << 20, 1'000'000);
  busy.event(Action::alloc, 0x900000, 200'000);
  CHECK(cut_of(busy.take()) > 500'000);
}

TEST_CASE("a small budget leaves bands to the rest and says so") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 1 << 20).inactive(1 << 20);
  for (std::uint64_t i = 0; i < 900; ++i)
    snapshot.event(Action::alloc, 0x10000 + 1024 * i, 1000);
  const Snapshot taken = snapshot.take();
  const std::string svg = drawn(taken, {.detail = 900, .max_bytes = 80'000});
  CHECK(svg.size() <= 80'000);
  CHECK(visible_text(parse_svg(svg)).find("fewer bands than 900") != std::string::npos);
  CHECK(visible_text(parse_svg(drawn(taken, {.detail = 900}))).find("fewer bands") == std::string::npos);
}

TEST_CASE("names are text, whatever is in them") {
  SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({"/app/<script>.py:12:</text><script>alert(1)</script>]]>\x01"});
  snapshot.segment(0x1000, 4096).active(1024, 1000, stack).inactive(3072);
  snapshot.event(Action::alloc, 0x1000, 1000, stack);
  const pugi::xml_document document = parse_svg(drawn(snapshot.take()));
  CHECK(document.select_nodes("//script").size() == 1);
  CHECK(visible_text(document).find("<script>.py:12") != std::string::npos);
}

TEST_CASE("the axis of time needs times") {
  CHECK_THROWS_AS(static_cast<void>(drawn(read("gen_2.1_no_time.pickle"), {.axis = TimelineAxis::time})), UsageError);
  const std::string text = visible_text(parse_svg(drawn(read("gen_2.2_time.pickle"), {.axis = TimelineAxis::time})));
  CHECK(text.find("time since the first event") != std::string::npos);
}

TEST_CASE("labels on bands are readable, light and dark") {
  REQUIRE(render::hues().size() >= 8);
  for (const render::Paint& hue : render::hues()) {
    CHECK_MESSAGE(contrast(hue.light_fill, hue.light_text) >= 4.5, hue.name);
    CHECK_MESSAGE(contrast(hue.dark_fill, hue.dark_text) >= 4.5, hue.name);
  }
}

TEST_CASE("a line of code has the same hue in every picture, and the largest have hues of their own") {
  render::LineHues hues;
  const render::LineHues others;
  CHECK(hues.of("forward model.py:1").name == others.of("forward model.py:1").name);
  std::vector<std::string_view> names;
  for (int i = 0; i < 8; ++i) {
    const std::string line = "forward model.py:" + std::to_string(i);
    hues.name(line);
    names.push_back(hues.of(line).name);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
}
