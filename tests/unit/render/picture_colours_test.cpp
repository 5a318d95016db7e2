#include "memviz/svg.hpp"

#include "support/drawing.hpp"
#include "support/files.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"
#include "support/timeline_drawing.hpp"

#include "page/frame_paints.hpp"
#include "page/hues.hpp"
#include "page/naming.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Classes of the groups that hold boxes of a flame graph.
std::set<std::string> box_classes(const std::string& svg) {
  std::set<std::string> classes;
  const pugi::xml_document document = parse_svg(svg);
  for (const pugi::xpath_node box : document.select_nodes("//g[@id='graph']/g"))
    classes.insert(box.node().attribute("class").value());
  return classes;
}

bool is_hue(const std::string& css_class) {
  return css_class.starts_with("hue");
}

std::string state_of(const Recording& recording, ColorBy color) {
  const MemoryState state = end_of(recording);
  SvgOptions options;
  options.color = color;
  return state_svg({.file = "a.pickle", .state = state, .device = std::nullopt}, options);
}

} // namespace

TEST_CASE("by line, the user's own frames have hues and all other code is grey") {
  const Drawing drawing = training();
  SvgOptions options{.scripts = true};
  options.color = ColorBy::line;
  const std::string svg = drawing.svg(options);
  check_svg(svg);
  const std::set<std::string> classes = box_classes(svg);
  CHECK(std::any_of(classes.begin(), classes.end(), is_hue));
  CHECK(classes.contains("elsewhere"));
  CHECK_FALSE(classes.contains("user"));
  CHECK_FALSE(classes.contains("torch"));
  CHECK(svg.find("colour = line of your code") != std::string::npos);
  CHECK(svg.find(".hue0 rect{fill:") != std::string::npos);
  // The script still knows which frames are the user's.
  const pugi::xml_document document = parse_svg(svg);
  CHECK(document.select_node("//metadata[@id='frames']/f[@o='1' and starts-with(@c, 'hue')]"));
  CHECK_FALSE(document.select_node("//metadata[@id='frames']/f[@o='1' and @c='elsewhere']"));
}

TEST_CASE("by origin, which is the default, a flame graph is as it always was") {
  const Drawing drawing = training();
  SvgOptions options{.scripts = false};
  const std::string plain = drawing.svg(options);
  options.color = ColorBy::origin;
  CHECK(drawing.svg(options) == plain);
  CHECK(box_classes(plain).contains("user"));
}

TEST_CASE("a line has the same colour wherever it is, and the largest have one of their own") {
  FrameTable frames;
  std::vector<UserLine> users;
  for (int i = 0; i < 30; ++i) {
    const FrameId frame = frames.add_frame({frames.intern("forward"), frames.intern("/app/model.py"), i + 1});
    users.push_back({frame, {1000, 1}});
  }
  const std::vector<CodeOrigin> origins = render::origins_of(frames);
  const render::FramePaints paints(frames, origins, users);
  std::set<std::string_view> largest;
  for (std::uint32_t i = 0; i < render::hues().size(); ++i)
    largest.insert(paints.of(FrameId{i}).name);
  CHECK(largest.size() == render::hues().size());
  const render::FramePaints again(frames, origins, users);
  const render::FramePaints unranked(frames, origins, std::span<const UserLine>());
  for (std::uint32_t i = 0; i < 30; ++i)
    CHECK(again.of(FrameId{i}).name == paints.of(FrameId{i}).name);
  for (auto i = static_cast<std::uint32_t>(render::hues().size()); i < 30; ++i)
    CHECK(unranked.of(FrameId{i}).name == paints.of(FrameId{i}).name);
}

TEST_CASE("timelines and states are coloured by line, or by whose code it is") {
  const Recording recording = read_testdata("training_step.pickle");
  const auto has_rect = [](const std::string& svg, const char* css_class) {
    const pugi::xml_document document = parse_svg(svg);
    return static_cast<bool>(document.select_node(("//*[contains(@class, '" + std::string(css_class) + "')]").c_str()));
  };
  const std::string by_line = state_of(recording, ColorBy::line);
  const std::string by_origin = state_of(recording, ColorBy::origin);
  check_svg(by_origin);
  CHECK(has_rect(by_line, "hue"));
  CHECK_FALSE(has_rect(by_origin, "hue"));
  CHECK(has_rect(by_origin, "user"));
  CHECK(visible_text(parse_svg(by_origin)).find("your code") != std::string::npos);
  TimelineSvgOptions options;
  CHECK(has_rect(drawn_timeline(recording, options), "hue"));
  options.color = ColorBy::origin;
  const std::string timeline = drawn_timeline(recording, options);
  check_svg(timeline);
  CHECK_FALSE(has_rect(timeline, "hue"));
  CHECK(has_rect(timeline, "user"));
  CHECK(timeline.find("colour = whose code") != std::string::npos);
  CHECK(timeline.find("path.user") != std::string::npos);
}

TEST_CASE("pictures show what is said of an allocation, and not of an earlier one at its address") {
  const Recording recording = read_testdata("gen_2.15_annotate.pickle");
  const std::string timeline = drawn_timeline(recording);
  CHECK(timeline.find("annotated: the weights\nannotated: of layer 0 &lt;&amp;&gt;") != std::string::npos);
  const pugi::xml_document document = parse_svg(timeline);
  std::size_t pages = 0;
  for (const pugi::xpath_node band : document.select_nodes("//g[@class='bands']/path/title"))
    if (std::string_view(band.node().child_value()).find("a page of the cache") != std::string_view::npos) ++pages;
  CHECK(pages == 1);
  TimelineSvgOptions segments;
  segments.view = TimelineView::segments;
  CHECK(drawn_timeline(recording, segments).find("annotated: ") == std::string::npos);
}
