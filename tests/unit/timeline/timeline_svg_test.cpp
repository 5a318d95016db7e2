#include "memviz/timeline_svg.hpp"

#include "memviz/replay.hpp"
#include "support/drawing.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/svg_check.hpp"
#include "support/timeline_drawing.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/input.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <doctest/doctest.h>
#include <sstream>

using namespace memviz;
using namespace memviz::test;

namespace {
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

/// Checks that neighbouring bands touch, from the ground to the line of live bytes. The panel has no cut scale.
void check_stack(pugi::xml_node panel) {
  std::vector<Edges> shapes;
  for (const char* css_class : {"strips below", "bands", "strips above"})
    for (const pugi::xml_node part : panel.find_child_by_attribute("g", "class", css_class).children("path"))
      if (const std::string path = part.attribute("d").as_string(); !path.empty()) shapes.push_back(edges_of(path));
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

} // namespace

TEST_CASE("every snapshot of testdata has a timeline: well-formed, the same bytes each time, within its budget") {
  const auto snapshots = files_in(testdata(), ".pickle");
  REQUIRE(!snapshots.empty());
  for (const auto& path : snapshots) {
    CAPTURE(path.string());
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    for (const std::optional<std::size_t> detail : {std::optional<std::size_t>(), std::optional<std::size_t>(3)}) {
      const std::string svg = drawn_timeline(snapshot, {.detail = detail});
      CHECK(svg == drawn_timeline(snapshot, {.detail = detail}));
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
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    for (const TimelineView view : {TimelineView::segments, TimelineView::pools}) {
      const std::string svg = drawn_timeline(snapshot, {.view = view});
      CHECK(svg == drawn_timeline(snapshot, {.view = view}));
      const pugi::xml_document document = parse_svg(svg);
      for (const auto& panel : document.select_nodes("//g[@class='chart']"))
        if (panel.node().child("metadata").attribute("cut").as_ullong() == 0) check_stack(panel.node());
    }
  }
  const std::string pools =
      visible_text(parse_svg(drawn_timeline(read_testdata("pools_tuple.pickle"), {.view = TimelineView::pools})));
  CHECK(pools.find("private pool (") != std::string::npos);
  const std::string segments =
      visible_text(parse_svg(drawn_timeline(read_testdata("oom.pickle"), {.view = TimelineView::segments})));
  CHECK(segments.find("asked for; peak reserved ") != std::string::npos);
}

TEST_CASE("the sentence names the peak and the error") {
  const std::string text = visible_text(parse_svg(drawn_timeline(read_testdata("oom.pickle"))));
  const DeviceState device_state = replay(read_testdata("oom.pickle")).devices.front();
  CHECK(text.starts_with("GPU 0 ran out of memory: "));
  CHECK(text.find(" asked for; peak " + format_bytes(device_state.figures.peak_requested_bytes)) < text.find('\n'));
  CHECK(text.find("at event " + std::to_string(device_state.peak_event.number())) != std::string::npos);
  CHECK(text.find(" free at the out-of-memory error") != std::string::npos);
  CHECK(text.find("reserved + free at the error") != std::string::npos);
}

TEST_CASE("the peak that is drawn is exact, however much is left out") {
  SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({"/app/train.py:12:step"});
  snapshot.segment(0x1000, 1 << 30).inactive(1 << 30);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    snapshot.event(Action::alloc, 0x10000 + 512 * (i % 64), i == 7777 ? 123'456'789 : 1000, stack);
    snapshot.event(Action::free_completed, 0x10000 + 512 * (i % 64), i == 7777 ? 123'456'789 : 1000);
  }
  const std::string svg = drawn_timeline(snapshot.take(), {.max_bytes = 92'000});
  CHECK(svg.size() <= 92'000);
  const pugi::xml_document document = parse_svg(svg);
  CHECK(visible_text(document).find("peak 118 MiB, event 15,554") != std::string::npos);
  const pugi::xml_node panel = document.select_node("//g[@class='chart']").node();
  const Edges live = edges_of(path_of(panel, "live-line"));
  const double highest = *std::min_element(live.upper.begin(), std::find(live.upper.begin(), live.upper.end(), -1));
  CHECK(highest == doctest::Approx(document.select_node("//circle").node().attribute("cy").as_double()).epsilon(0.01));
}

TEST_CASE("a scale is cut only where something happens upon a large baseline") {
  const auto cut_of = [](const Recording& snapshot) {
    return parse_svg(drawn_timeline(snapshot))
        .select_node("//g[@class='chart']/metadata")
        .node()
        .attribute("cut")
        .as_ullong();
  };
  SmallSnapshot flat;
  flat.segment(0x1000, 1 << 20).active(1 << 20, 1'000'000);
  CHECK(cut_of(flat.take()) == 0);
  SmallSnapshot busy;
  busy.segment(0x1000, 1 << 20).active(1 << 20, 1'000'000);
  busy.event(Action::alloc, 0x900000, 200'000);
  const Recording unknown = busy.take();
  CHECK(cut_of(unknown) > 500'000);
  CHECK(visible_text(parse_svg(drawn_timeline(unknown))).find("torn axis") != std::string::npos);
  // Memory with a name is drawn to scale.
  SmallSnapshot named;
  named.segment(0x1000, 1 << 20).active(1 << 20, 1'000'000, named.stack({"/app/model.py:3:load"}));
  named.event(Action::alloc, 0x900000, 200'000);
  CHECK(cut_of(named.take()) == 0);
}

TEST_CASE("a small budget leaves bands to the rest and says so") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 1 << 20).inactive(1 << 20);
  for (std::uint64_t i = 0; i < 900; ++i)
    snapshot.event(Action::alloc, 0x10000 + 1024 * i, 1000);
  const Recording taken = snapshot.take();
  const std::string svg = drawn_timeline(taken, {.detail = 900, .max_bytes = 98'000});
  CHECK(svg.size() <= 98'000);
  CHECK(visible_text(parse_svg(svg)).find("fewer bands than 900") != std::string::npos);
  CHECK(visible_text(parse_svg(drawn_timeline(taken, {.detail = 900}))).find("fewer bands") == std::string::npos);
}

TEST_CASE("names are text, whatever is in them") {
  SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({"/app/<script>.py:12:</text><script>alert(1)</script>]]>\x01"});
  snapshot.segment(0x1000, 4096).active(1024, 1000, stack).inactive(3072);
  snapshot.event(Action::alloc, 0x1000, 1000, stack);
  const pugi::xml_document document = parse_svg(drawn_timeline(snapshot.take()));
  CHECK(document.select_nodes("//script").size() == 1);
  CHECK(visible_text(document).find("<script>.py:12") != std::string::npos);
}

TEST_CASE("the headline names the line that held the peak, if it held a tenth") {
  // One line takes 1 KiB, after the recording began with `older_bytes`.
  const auto text = [](std::uint64_t older_bytes) {
    SmallSnapshot snapshot;
    const StackId stack = snapshot.stack({"/app/train.py:12:step"});
    snapshot.segment(0x1000, 2 * older_bytes).active(older_bytes, older_bytes).inactive(older_bytes);
    snapshot.event(Action::alloc, 0x9000, 1024, stack);
    return visible_text(parse_svg(drawn_timeline(snapshot.take())));
  };
  const std::string large = text(2048);
  CHECK(large.find("Peak 3.00 KiB on GPU 0: step train.py:12 held 1.00 KiB") != std::string::npos);
  CHECK(large.find("2.00 KiB of the peak (66.7 %) had no stack: allocated before recording.") != std::string::npos);
  CHECK(text(20480).starts_with("Peak 21.0 KiB on GPU 0\n"));
}

TEST_CASE("a timeline without memory from before the recording has no figure of it") {
  constexpr const char* kTile = "Before the first event";
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).active(2048, 2048).inactive(2048);
  snapshot.event(Action::alloc, 0x9000, 1024);
  CHECK(visible_text(parse_svg(drawn_timeline(snapshot.take()))).find(kTile) != std::string::npos);
  snapshot = {};
  snapshot.segment(0x1000, 4096).active(2048, 2048).inactive(2048);
  snapshot.event(Action::alloc, 0x1000, 2048);
  CHECK(visible_text(parse_svg(drawn_timeline(snapshot.take()))).find(kTile) == std::string::npos);
}

TEST_CASE("of several devices the one that holds most has the room, the others are closed") {
  SmallSnapshot snapshot;
  for (std::uint32_t device = 0; device < 2; ++device) {
    snapshot.segment(0x1000, 4096, 0, device).inactive(4096);
    for (std::uint64_t i = 0; i < 4; ++i)
      snapshot.time(static_cast<std::int64_t>(1000 + 500 * device + 100 * i))
          .event(Action::alloc, 0x10000 * (i + 1), device == 0 ? 1'000'000 : 4'000'000, kNoFrames, device);
  }
  const Recording taken = snapshot.take();
  const pugi::xml_document document = parse_svg(drawn_timeline(taken, {.axis = TimelineAxis::time}));
  const auto panels = document.select_nodes("//g[@class='chart']/metadata");
  REQUIRE(panels.size() == 2);
  const auto value = [&](std::size_t panel, const char* name) {
    return panels[panel].node().attribute(name).as_double();
  };
  const auto closed = document.select_nodes("//g[@data-flow='chart' and @class='closed']");
  REQUIRE(closed.size() == 1);
  CHECK(closed[0].node() == panels[1].node().parent().parent());
  CHECK(closed[0].node().attribute("data-height").as_double() > value(1, "height"));
  CHECK(document.select_nodes("//g[@class='opener']").size() == 1);
  // Each counts from the first event of all, and shows the time of its own events.
  std::istringstream differences(panels[1].node().attribute("at").as_string());
  std::vector<double> at;
  for (double difference = 0; differences >> difference;)
    at.push_back((at.empty() ? 0 : at.back()) + difference);
  CHECK(at == std::vector<double>{std::floor(value(1, "begin")), 0, 100, 200, 300});
  CHECK(value(0, "begin") > 490);
  CHECK(visible_text(document).find("4 events of GPU 1 in 300 us") != std::string::npos);
  CHECK(visible_text(document).find("Each device has its own scale of bytes and shows its own time.") !=
        std::string::npos);

  const std::string by_event = visible_text(parse_svg(drawn_timeline(taken)));
  CHECK(by_event.find("events of GPU 0") != std::string::npos);
  CHECK(by_event.find("Each device has its own scale of bytes and counts its own events.") != std::string::npos);
}

TEST_CASE("many streams and pools are a few charts") {
  SmallSnapshot snapshot;
  for (std::uint64_t i = 0; i < 40; ++i) {
    snapshot.segment(0x100000 * (i + 1), 0x100000, static_cast<std::int64_t>(i)).inactive(0x100000);
    snapshot.event(Action::alloc, 0x100000 * (i + 1), 1000 * (i + 1));
  }
  const pugi::xml_document document = parse_svg(drawn_timeline(snapshot.take(), {.view = TimelineView::pools}));
  CHECK(document.select_nodes("//g[@class='chart']").size() == 6);
  CHECK(visible_text(document).find("35 more streams and pools") != std::string::npos);
  CHECK(visible_text(document).find("The events of this file do not name pools") != std::string::npos);
  CHECK(document.child("svg").attribute("height").as_double() < 1800);
}

TEST_CASE("the error is named where it was the peak as well") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 1 << 20).active(1 << 20, 1 << 20);
  for (std::uint64_t i = 0; i < 400; ++i)
    snapshot.event(Action::alloc, 0x200000 + 512 * i, 512);
  snapshot.event(Action::oom, 1 << 20, 1 << 30);
  const std::string text = visible_text(parse_svg(drawn_timeline(snapshot.take())));
  CHECK(text.find("peak 1.20 MiB, event 399") != std::string::npos);
  CHECK(text.find("out of memory: 1.00 GiB asked, 1.00 MiB free") != std::string::npos);
}

TEST_CASE("a band without room for the whole of its function keeps its line") {
  SmallSnapshot snapshot;
  const StackId stack =
      snapshot.stack({"/app/t.py:12:a_function_with_a_name_that_is_longer_than_the_whole_chart_of_its_band_"
                      "and_then_some_more_of_it_until_no_page_is_wide_enough_for_it"});
  snapshot.segment(0x1000, 1 << 20).inactive(1 << 20);
  snapshot.event(Action::alloc, 0x1000, 1 << 19, stack);
  const pugi::xml_document document = parse_svg(drawn_timeline(snapshot.take()));
  const std::string label = document.select_node("//text[contains(@class, 'band-label')]").node().text().as_string();
  CHECK(label.starts_with("a_function_"));
  CHECK(label.ends_with("… :12"));
}

TEST_CASE("a device of which no stream holds anything has a chart of its pools as well") {
  SmallSnapshot snapshot;
  snapshot.event(Action::oom, 1 << 20, 1 << 30);
  const std::string text = visible_text(parse_svg(drawn_timeline(snapshot.take(), {.view = TimelineView::pools})));
  CHECK(text.find("out of memory") != std::string::npos);
}

TEST_CASE("a file name that all frames share is looked at once") {
  SmallSnapshot snapshot;
  const std::string file = "/app/" + std::string(300'000, 'x') + ".py:";
  snapshot.segment(0x1000, 1 << 24).inactive(1 << 24);
  for (std::uint64_t i = 0; i < 1500; ++i)
    snapshot.event(Action::alloc, 0x900000 + 1024 * i, 1000, snapshot.stack({file + std::to_string(i + 1) + ":step"}));
  const Recording taken = snapshot.take();
  const std::clock_t begin = std::clock();
  static_cast<void>(drawn_timeline(taken));
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 2);
}

TEST_CASE("where the events have more than the blocks, the timeline says why other pictures name less") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 4096).inactive(4096);
  const StackId stack = snapshot.stack({"/app/train.py:12:step"});
  snapshot.event(Action::alloc, 0x1000, 512, stack);
  const std::string text = sentences(drawn_timeline(snapshot.take()));
  CHECK(text.find("pictures of a moment show the rest without a stack") != std::string::npos);
  CHECK(text.find("step train.py:12") != std::string::npos);
}

TEST_CASE("the name of reserved bytes leaves out their size, which changes along its line") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 20 << 20).active(10 << 20, 10 << 20).inactive(10 << 20);
  snapshot.event(Action::alloc, 0x1000, 10 << 20);
  snapshot.event(Action::segment_alloc, 0x10000000, 500 << 20);
  for (std::uint64_t i = 0; i < 200; ++i)
    snapshot.event(Action::alloc, 0x10000000, 1 << 20).event(Action::free_completed, 0x10000000, 1 << 20);
  snapshot.event(Action::segment_free, 0x10000000, 500 << 20);
  const pugi::xml_document document = parse_svg(drawn_timeline(snapshot.take()));
  const pugi::xml_node words = document.select_node("//text[contains(@class, 'reserved-text')]").node();
  CHECK(words.child_value() == std::string("reserved"));
}

TEST_CASE("words that give way to a flag are on the line that is below them") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 20 << 20).inactive(20 << 20);
  snapshot.segment(0x10000000, 500 << 20).active(400 << 20, 400 << 20).inactive(100 << 20);
  for (std::uint64_t i = 0; i < 200; ++i)
    snapshot.event(Action::alloc, 0x1000, 1 << 10).event(Action::free_completed, 0x1000, 1 << 10);
  snapshot.event(Action::segment_alloc, 0x10000000, 500 << 20);
  snapshot.event(Action::alloc, 0x10000000, 400 << 20);
  const pugi::xml_document document = parse_svg(drawn_timeline(snapshot.take()));
  const pugi::xml_node words = document.select_node("//text[contains(@class, 'reserved-text')]").node();
  CHECK(words.child_value() == std::string("reserved"));
  CHECK(words.attribute("y").as_double() > 300);
}

TEST_CASE("how to read a timeline is not cut") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 1 << 20).active(1 << 20, 1 << 20);
  snapshot.event(Action::alloc, 0x1000, 1 << 20);
  const Recording taken = snapshot.take();
  for (const TimelineView view : {TimelineView::active, TimelineView::segments, TimelineView::pools}) {
    const pugi::xml_document document = parse_svg(drawn_timeline(taken, {.view = view}));
    const std::string text = document.select_node("//g[@id='controls']/text").node().child_value();
    CHECK_MESSAGE(text.find("…") == std::string::npos, text);
  }
}

TEST_CASE("a line of the list that is not the user's own says whose it is") {
  SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({"??:0:torch::autograd::AccumulateGrad::apply"});
  snapshot.segment(0x1000, 4096).active(4096, 4096, stack);
  snapshot.event(Action::alloc, 0x1000, 4096, stack);
  CHECK(visible_text(parse_svg(drawn_timeline(snapshot.take()))).find("torch's C++") != std::string::npos);
}
