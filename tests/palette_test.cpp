#include "palette.hpp"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
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

/// How a person without red-sensitive (or green-sensitive) cones sees a colour: Viénot, Brettel and Mollon, 1999.
std::array<double, 3> seen(std::string_view colour, bool without_red) {
  const auto rgb = linear_rgb(colour);
  const double mixed = without_red ? 0.11238 * rgb[0] + 0.88762 * rgb[1] : 0.29275 * rgb[0] + 0.70725 * rgb[1];
  const double blue =
      without_red ? 0.00401 * rgb[0] - 0.00401 * rgb[1] + rgb[2] : -0.02234 * rgb[0] + 0.02234 * rgb[1] + rgb[2];
  return {std::cbrt(mixed), std::cbrt(mixed), std::cbrt(std::max(0.0, blue))};
}

double distance(const std::array<double, 3>& one, const std::array<double, 3>& other) {
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

constexpr double kTextContrast = 4.5; // WCAG 2.1, level AA, text of normal size

} // namespace

TEST_CASE("text upon every box is readable, light and dark") {
  for (const Paint& paint : all_paints()) {
    CHECK_MESSAGE(contrast(paint.light_fill, paint.light_text) >= kTextContrast, paint.name, " light");
    CHECK_MESSAGE(contrast(paint.dark_fill, paint.dark_text) >= kTextContrast, paint.name, " dark");
  }
}

TEST_CASE("text upon the page is readable, light and dark") {
  const std::set<std::string_view> texts{"text", ".muted", ".warning", ".plus", ".minus"};
  std::size_t found = 0;
  for (const PageColour& colour : page_colours()) {
    if (!texts.contains(colour.selector)) continue;
    ++found;
    CHECK_MESSAGE(contrast(colour.light, kLightPage) >= kTextContrast, colour.selector, " light");
    CHECK_MESSAGE(contrast(colour.dark, kDarkPage) >= kTextContrast, colour.selector, " dark");
  }
  CHECK(found == texts.size());
}

TEST_CASE("grown and shrunk differ for the colour-blind") {
  using namespace paint;
  const std::vector<std::pair<Paint, Paint>> pairs{{kGrown, kShrunk}, {kAdded, kRemoved}, {kGrown, kSame},
                                                   {kShrunk, kSame},  {kUser, kTorch},    {kUser, kCpp},
                                                   {kTorch, kLibrary}};
  for (const bool without_red : {true, false}) {
    for (const auto& pair : pairs) {
      const Paint& one = pair.first; // no structured binding: clang 14 cannot capture one in a check
      const Paint& other = pair.second;
      CHECK_MESSAGE(distance(seen(one.light_fill, without_red), seen(other.light_fill, without_red)) > 0.06, one.name,
                    " ", other.name);
      CHECK_MESSAGE(distance(seen(one.dark_fill, without_red), seen(other.dark_fill, without_red)) > 0.06, one.name,
                    " ", other.name);
    }
  }
}

TEST_CASE("palette_css") {
  const std::string css = palette_css();
  CHECK(css.find("var(") == std::string::npos); // librsvg knows no variables
  const std::size_t dark = css.find("@media (prefers-color-scheme:dark)");
  REQUIRE(dark != std::string::npos);
  for (const Paint& paint : all_paints()) {
    CHECK(css.find(fmt::format(".{} rect{{fill:{}}}", paint.name, paint.light_fill)) < dark);
    CHECK(css.find(fmt::format(".{} rect{{fill:{}}}", paint.name, paint.dark_fill), dark) != std::string::npos);
  }
}
