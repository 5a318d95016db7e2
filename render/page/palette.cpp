#include "page/palette.hpp"

#include <array>

namespace memviz::render {
namespace {

constexpr std::array kPaints{
    paint::kUser,        paint::kTorch,    paint::kLibrary, paint::kCpp,          paint::kGroup,
    paint::kFree,        paint::kNoStack,  paint::kSmaller, paint::kAdded,        paint::kGrown,
    paint::kGrownLittle, paint::kSame,     paint::kShrunk,  paint::kShrunkLittle, paint::kRemoved,
    paint::kRequested,   paint::kRounding, paint::kPending, paint::kInactive,     paint::kUnaccounted,
};
constexpr std::array kRoomPaints{paint::kHardFree, paint::kOtherStream, paint::kPrivatePool, paint::kOtherSize};

constexpr std::array kPageColours{
    PageColour{"svg", "background", kLightPage, kDarkPage},
    PageColour{"#page,.torn", "fill", kLightPage, kDarkPage},
    PageColour{"text", "fill", "#1d2026", "#e8eaee"},
    PageColour{".muted", "fill", "#5a606b", "#a6acb8"},
    PageColour{".warning", "fill", "#9a3412", "#ffb68a"},
    PageColour{".plus", "fill", "#a8380a", "#f7a06b"},
    PageColour{".minus", "fill", "#1d5f9e", "#7fc0f5"},
    PageColour{".rule", "stroke", "#dcdfe4", "#363b45"},
    PageColour{".torn", "stroke", "#6b7482", "#8f99a8"},
    PageColour{".good", "stroke", "#1c7a4d", "#6fcf97"},
    PageColour{".warning-mark", "fill", "#c2410c", "#f08a4b"},
    PageColour{"#unknown rect", "fill", paint::kNoStack.light_fill, paint::kNoStack.dark_fill},
    PageColour{"#unknown path", "stroke", kLightHatch, kDarkHatch},
    PageColour{".free rect", "stroke", "#c3cad5", "#4a515d"},
    PageColour{"rect.swatch", "stroke", "#8a919c", "#7b8492"},
    PageColour{"#tip rect", "fill", "#ffffff", "#23272f"},
    PageColour{"#tip rect", "stroke", "#a9b0bb", "#5b6370"},
    PageColour{".panel", "background", "#ffffff", "#23272f"},
    PageColour{".panel", "color", "#1d2026", "#e8eaee"},
    PageColour{".panel", "border-color", "#8a919c", "#7b8492"},
    PageColour{".panel[aria-pressed=true]", "background", "#1d4f91", "#9cc4f5"},
    PageColour{".panel[aria-pressed=true]", "color", "#ffffff", "#0b1524"},
    PageColour{".dim", "color", "#5a606b", "#a6acb8"},
};

} // namespace

std::span<const Paint> all_paints() {
  return kPaints;
}

std::span<const Paint> room_paints() {
  return kRoomPaints;
}

std::span<const PageColour> page_colours() {
  return kPageColours;
}

std::string in_both_schemes(const std::function<std::string(bool dark)>& rules) {
  return rules(false) + "@media screen and (prefers-color-scheme:dark){\n" + rules(true) + "}\n";
}

std::string colour_rules(std::span<const PageColour> colours, bool dark) {
  std::string css;
  for (const PageColour& colour : colours)
    css.append(colour.selector)
        .append("{")
        .append(colour.property)
        .append(":")
        .append(dark ? colour.dark : colour.light)
        .append("}\n");
  return css;
}

std::string paint_rules(std::span<const Paint> paints, bool dark) {
  std::string css;
  for (const Paint& paint : paints) {
    // The class that the script gives to boxes too narrow to be distinguished.
    css.append(".")
        .append(paint.name)
        .append(" .dust,.")
        .append(paint.name)
        .append(" rect{fill:")
        .append(dark ? paint.dark_fill : paint.light_fill)
        .append("}");
    css.append(".")
        .append(paint.name)
        .append(" text{fill:")
        .append(dark ? paint.dark_text : paint.light_text)
        .append("}\n");
  }
  return css;
}

std::string palette_css() {
  // A viewer that does not support the pattern uses the plain colour above.
  return in_both_schemes([](bool dark) { return colour_rules(kPageColours, dark) + paint_rules(kPaints, dark); }) +
         ".nostack rect,.nostack .dust{fill:url(#unknown)}\n";
}

std::string paints_css(std::span<const Paint> paints) {
  return in_both_schemes([&](bool dark) { return paint_rules(paints, dark); });
}

} // namespace memviz::render
