#include "memviz/timeline_svg.hpp"

#include "support/small_snapshot.hpp"
#include "support/svg_check.hpp"
#include "support/timeline_drawing.hpp"

#include "timeline/timeline_palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Red, green and blue, as light.
std::array<double, 3> linear(std::string_view colour) {
  std::array<double, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    rgb.at(i) = part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

double luminance(std::string_view colour) {
  const auto [red, green, blue] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

double contrast(std::string_view one, std::string_view other) {
  const double first = luminance(one);
  const double second = luminance(other);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

/// Lightness and the two axes of colour of OKLab (Ottosson 2020).
std::array<double, 3> oklab(const std::array<double, 3>& rgb) {
  const auto [r, g, b] = rgb;
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

using Sight = std::array<std::array<double, 3>, 3>;

/// Returns the least distance of two colours in normal sight, protanopia and deuteranopia (Machado et al. 2009).
double least_distance(std::string_view one, std::string_view other) {
  constexpr std::array<Sight, 3> kSights{
      Sight{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
      Sight{{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
      Sight{{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}};
  double least = 1;
  for (const Sight& sight : kSights) {
    const auto seen = [&](std::string_view colour) {
      const std::array<double, 3> rgb = linear(colour);
      std::array<double, 3> simulated{};
      for (std::size_t i = 0; i < 3; ++i)
        simulated.at(i) =
            std::clamp(sight.at(i)[0] * rgb[0] + sight.at(i)[1] * rgb[1] + sight.at(i)[2] * rgb[2], 0.0, 1.0);
      return oklab(simulated);
    };
    const auto first = seen(one);
    const auto second = seen(other);
    least = std::min(least, std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]));
  }
  return least;
}

} // namespace

TEST_CASE("labels on bands are readable, light and dark") {
  REQUIRE(render::hues().size() >= 8);
  for (const render::Paint& hue : render::hues()) {
    CHECK_MESSAGE(contrast(hue.light_fill, hue.light_text) >= 4.5, hue.name);
    CHECK_MESSAGE(contrast(hue.dark_fill, hue.dark_text) >= 4.5, hue.name);
  }
}

TEST_CASE("no hue sinks into a dark page") {
  constexpr double kSeen = 2.5; // 3 for all of them would leave too little to distinguish ten
  for (const render::Paint& hue : render::hues())
    CHECK_MESSAGE(contrast(hue.dark_fill, render::kDarkPage) >= kSeen, hue.name);
}

TEST_CASE("any two hues can be distinguished, with red and green or without") {
  for (const auto fill : {&render::Paint::light_fill, &render::Paint::dark_fill}) {
    std::vector<std::string_view> fills{render::paint::kNoStack.*fill};
    for (const render::Paint& hue : render::hues())
      fills.push_back(hue.*fill);
    for (std::size_t i = 0; i < fills.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CAPTURE(fills[i]);
        CAPTURE(fills[j]);
        CHECK(least_distance(fills[i], fills[j]) > 0.08); // 0.02 is seen side by side
      }
    }
  }
}

TEST_CASE("a line of code has the same hue in every picture, unless a larger one has it") {
  std::vector<std::string> lines;
  for (int i = 0; i < 40; ++i)
    lines.push_back("forward model.py:" + std::to_string(i));
  const std::vector<std::size_t> hues = render::choose_hues(lines);
  REQUIRE(hues.size() == lines.size());
  for (std::size_t i : {std::size_t{0}, render::hues().size(), lines.size() - 1})
    CHECK(hues[i] == render::choose_hues({lines[i]}).front());
  std::vector<std::size_t> largest(hues.begin(), hues.begin() + static_cast<std::ptrdiff_t>(render::hues().size()));
  std::sort(largest.begin(), largest.end());
  CHECK(std::unique(largest.begin(), largest.end()) == largest.end());
}

TEST_CASE("small allocations are coloured by their line, and memory without a stack as in the list") {
  SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({"/app/train.py:12:step"});
  snapshot.segment(0x1000, 1 << 20).active(1 << 19, 50'000).inactive(1 << 19);
  for (std::uint64_t i = 0; i < 900; ++i)
    snapshot.event(Action::alloc, 0x900000 + 1024 * i, 1000, i % 3 == 0 ? kNoFrames : stack);
  const pugi::xml_document document = parse_svg(drawn_timeline(snapshot.take(), {.detail = 10}));
  const pugi::xml_node panel = document.select_node("//g[@class='chart']").node();
  const auto paint_of = [&](const char* strips, const char* name) {
    for (const pugi::xml_node strip : panel.find_child_by_attribute("g", "class", strips).children("path"))
      if (std::string_view(strip.child_value("title")).starts_with(name)) return strip.attribute("class").as_string();
    return "";
  };
  const std::string hue = paint_of("strips above", "step train.py:12\n");
  CHECK(hue.starts_with("hue"));
  CHECK(paint_of("strips above", "<no stack") == std::string("nostack"));
  CHECK(paint_of("strips below", "<no stack") == std::string("nostack"));
  std::vector<std::string> row_paints;
  for (const auto& row : document.select_nodes("//g[@data-flow='rows']/g[@class='row']/g"))
    row_paints.emplace_back(row.node().attribute("class").as_string());
  REQUIRE(row_paints.size() == 3);
  CHECK(row_paints[0] == hue);
  CHECK(row_paints[1] == "nostack");
  CHECK(row_paints[2] == "nostack");
  CHECK(visible_text(document).find("no stack") != std::string::npos);
  CHECK(visible_text(document).find("other lines") == std::string::npos); // there are none
}

TEST_CASE("rows of a timeline that would look alike have the folders that distinguish them") {
  SmallSnapshot builder;
  const StackId one = builder.stack({"/app/a/block.py:7:forward"});
  const StackId other = builder.stack({"/app/b/block.py:7:forward"});
  builder.segment(0x7f0000000000, 1 << 20).active(1 << 19, 1 << 19, one).active(1 << 19, 1 << 19, other);
  builder.event(Action::alloc, 0x7f0000000000, 1 << 19, one).event(Action::alloc, 0x7f0000080000, 1 << 19, other);
  const std::string text = visible_text(parse_svg(drawn_timeline(builder.take())));
  CHECK(text.find("forward a/block.py:7") != std::string::npos);
  CHECK(text.find("forward b/block.py:7") != std::string::npos);
}

TEST_CASE("the legend has the lines of the headline, then those that are much of the picture, at the peak or not") {
  SmallSnapshot snapshot;
  snapshot.segment(0x1000, 1 << 20).active(1 << 19, 1 << 19).inactive(1 << 19);
  snapshot.event(Action::alloc, 0x10000000, 200 << 20, snapshot.stack({"/app/entrance.py:100:enter"}));
  for (std::uint64_t i = 0; i < 20; ++i)
    snapshot.event(Action::alloc, 0x20000000, 512).event(Action::free_completed, 0x20000000, 512);
  snapshot.event(Action::free_completed, 0x10000000, 200 << 20);
  for (std::uint64_t i = 0; i < 3; ++i)
    snapshot.event(Action::alloc, 0x30000000 + (i << 27), 100 << 20,
                   snapshot.stack({"/app/train.py:" + std::to_string(i + 1) + ":step"}));
  for (std::uint64_t i = 0; i < 3; ++i)
    snapshot.event(Action::free_completed, 0x30000000 + (i << 27), 100 << 20);
  const pugi::xml_document document = parse_svg(drawn_timeline(snapshot.take()));
  std::string legend;
  for (const auto& text : document.select_nodes("//g[@data-flow='items' and not(@data-leading)]//text"))
    legend += text.node().child_value() + std::string("\n");
  CHECK(legend.find("enter entrance.py:100\n") != std::string::npos);
  CHECK(legend.find("step train.py:1\n") < legend.find("enter entrance.py:100\n"));
}
