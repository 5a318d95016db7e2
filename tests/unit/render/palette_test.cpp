#include "page/kind_paints.hpp"
#include "page/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

using namespace memviz::render;

namespace {

std::array<double, 3> linear_rgb(std::string_view colour) {
  std::array<double, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    rgb[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

/// Contrast ratio of WCAG 2.1.
double contrast(std::string_view one, std::string_view other) {
  const auto luminance = [](std::string_view colour) {
    const auto rgb = linear_rgb(colour);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  };
  const double first = luminance(one);
  const double second = luminance(other);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

enum class Eyes { all_cones, without_red, without_green };

/// Returns a colour as a person sees it: without red-sensitive (or green-sensitive) cones after Viénot, Brettel and
/// Mollon, 1999, then in Oklab (Ottosson, 2020), where distances are those that people see.
std::array<double, 3> seen(std::string_view colour, Eyes eyes) {
  auto rgb = linear_rgb(colour);
  if (eyes == Eyes::without_red) {
    const double mixed = 0.11238 * rgb[0] + 0.88762 * rgb[1];
    rgb = {mixed, mixed, 0.00401 * rgb[0] - 0.00401 * rgb[1] + rgb[2]};
  } else if (eyes == Eyes::without_green) {
    const double mixed = 0.29275 * rgb[0] + 0.70725 * rgb[1];
    rgb = {mixed, mixed, -0.02234 * rgb[0] + 0.02234 * rgb[1] + rgb[2]};
  }
  const double blue = std::max(0.0, rgb[2]);
  const double l = std::cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * blue);
  const double m = std::cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * blue);
  const double s = std::cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(const Paint& one, const Paint& other, Eyes eyes, bool dark) {
  const auto first = seen(dark ? one.dark_fill : one.light_fill, eyes);
  const auto second = seen(dark ? other.dark_fill : other.light_fill, eyes);
  return std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

/// Every two of `paints` differ by more than `least` for everyone, on light and dark pages.
void check_told_apart(const std::vector<Paint>& paints, double least) {
  for (std::size_t i = 0; i < paints.size(); ++i)
    for (std::size_t j = i + 1; j < paints.size(); ++j)
      for (const Eyes eyes : {Eyes::all_cones, Eyes::without_red, Eyes::without_green})
        for (const bool dark : {false, true})
          CHECK_MESSAGE(distance(paints[i], paints[j], eyes, dark) > least, paints[i].name, " ", paints[j].name,
                        dark ? " dark" : " light");
}

constexpr double kTextContrast = 4.5; // WCAG 2.1, level AA, text of normal size

} // namespace

TEST_CASE("text upon every box is readable, light and dark") {
  for (const auto& paints : {all_paints(), room_paints(), kind_paints()}) {
    for (const Paint& paint : paints) {
      CHECK_MESSAGE(contrast(paint.light_fill, paint.light_text) >= kTextContrast, paint.name, " light");
      CHECK_MESSAGE(contrast(paint.dark_fill, paint.dark_text) >= kTextContrast, paint.name, " dark");
    }
  }
}

TEST_CASE("text upon the hatch of boxes without a stack is readable as well") {
  CHECK(contrast(kLightHatch, paint::kNoStack.light_text) >= kTextContrast);
  CHECK(contrast(kDarkHatch, paint::kNoStack.dark_text) >= kTextContrast);
}

namespace {

/// The light and the dark colour of a rule of the page.
std::pair<std::string_view, std::string_view> page_colour(std::string_view selector, std::string_view property) {
  for (const PageColour& colour : page_colours())
    if (colour.selector == selector && colour.property == property) return {colour.light, colour.dark};
  FAIL("no rule for ", std::string(selector), " ", std::string(property));
  return {};
}

} // namespace

TEST_CASE("the outline of the palest swatch is visible, light and dark") {
  constexpr double kShapeContrast = 3; // WCAG 2.1, level AA, what is not text
  const auto [light, dark] = page_colour("rect.swatch", "stroke");
  CHECK(contrast(light, kLightPage) >= kShapeContrast);
  CHECK(contrast(dark, kDarkPage) >= kShapeContrast);
}

TEST_CASE("text upon the page, the tooltip and the controls is readable, light and dark") {
  using Colours = std::pair<std::string_view, std::string_view>;
  const Colours page{kLightPage, kDarkPage};
  const Colours tip = page_colour("#tip rect", "fill");
  const Colours panel = page_colour(".panel", "background");
  const Colours pressed = page_colour(".panel[aria-pressed=true]", "background");
  const std::vector<std::pair<Colours, Colours>> pairs{
      {page_colour("text", "fill"), page},
      {page_colour(".muted", "fill"), page},
      {page_colour(".warning", "fill"), page},
      {page_colour(".plus", "fill"), page},
      {page_colour(".minus", "fill"), page},
      {page_colour("text", "fill"), tip},
      {page_colour(".muted", "fill"), tip},
      {page_colour(".panel", "color"), panel},
      {page_colour(".dim", "color"), panel},
      {page_colour(".dim", "color"), page},
      {page_colour(".panel[aria-pressed=true]", "color"), pressed},
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Colours& text = pairs[i].first;
    const Colours& ground = pairs[i].second;
    CHECK_MESSAGE(contrast(text.first, ground.first) >= kTextContrast, "pair ", i, " light");
    CHECK_MESSAGE(contrast(text.second, ground.second) >= kTextContrast, "pair ", i, " dark");
  }
}

TEST_CASE("marks stand out from the page") {
  constexpr double kMarkContrast = 3; // WCAG 2.1, 1.4.11
  for (const std::string_view selector : {".good", ".warning-mark"}) {
    const auto colour = page_colour(selector, selector == ".good" ? "stroke" : "fill");
    CHECK(contrast(colour.first, kLightPage) >= kMarkContrast);
    CHECK(contrast(colour.second, kDarkPage) >= kMarkContrast);
  }
}

TEST_CASE("colours are distinguished by the colour-blind as well") {
  using namespace paint;
  constexpr double kClear = 0.045;
  constexpr double kJust = 0.03; // these also differ by hatch, outline or label
  check_told_apart({kUser, kTorch, kLibrary, kCpp}, kClear);
  check_told_apart({kUser, kTorch, kLibrary, kCpp, kGroup, kFree, kNoStack, kSmaller, kRounding}, kJust);
  check_told_apart({kRequested, kRounding, kPending, kInactive, kUnaccounted}, kClear);
  check_told_apart({kAdded, kGrown, kSame, kShrunk, kRemoved}, kClear);
}

TEST_CASE("kinds of memory are distinguished by the colour-blind, from each other and from what is of no kind") {
  constexpr double kClear = 0.06;
  constexpr double kJust = 0.03; // the others of a graph have an outline or a label
  const std::vector<Paint> kinds(kind_paints().begin(), kind_paints().end());
  check_told_apart({kinds.begin(), kinds.begin() + 10}, kClear);
  check_told_apart(kinds, 0.045);
  for (const Paint& other : {paint::kGroup, paint::kFree, paint::kRounding})
    for (const Paint& kind : kinds)
      check_told_apart({kind, other}, kJust);
}

TEST_CASE("palette_css") {
  const std::string css = palette_css();
  CHECK(css.find("var(") == std::string::npos); // librsvg knows no variables
  const std::size_t dark = css.find("@media screen and (prefers-color-scheme:dark)");
  REQUIRE(dark != std::string::npos);
  for (const Paint& paint : all_paints()) {
    CHECK(css.find(fmt::format(".{} rect{{fill:{}}}", paint.name, paint.light_fill)) < dark);
    CHECK(css.find(fmt::format(".{} rect{{fill:{}}}", paint.name, paint.dark_fill), dark) != std::string::npos);
  }
}
