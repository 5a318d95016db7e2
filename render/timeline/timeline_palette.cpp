#include "timeline/timeline_palette.hpp"

#include "page/kind_paints.hpp"
#include "page/naming.hpp"
#include "web/embedded.hpp"

#include <array>
#include <fmt/format.h>

namespace memviz::render {
namespace {

constexpr std::array kColours{
    PageColour{".panel-ground", "fill", "#f4f5f3", "#1b1e24"},
    PageColour{".grid", "stroke", "#dfe2e6", "#30353e"},
    PageColour{".bands path", "stroke", kLightPage, kDarkPage},
    PageColour{".layer-lines", "stroke", "#3d4350", "#14161a"},
    PageColour{".live-line", "stroke", "#3d4350", "#c9ced8"},
    PageColour{".lowest-line", "stroke", "#ffffff", "#0b0c0f"},
    PageColour{".reserved-line", "stroke", "#3a6db5", "#7fb0ee"},
    PageColour{".reserved-text", "fill", "#2f5f9f", "#8fbcf3"},
    PageColour{".reserved-text,.capacity-text", "stroke", "#f4f5f3", "#1b1e24"},
    PageColour{".capacity-line", "stroke", "#9a3412", "#f2a27b"},
    PageColour{".capacity-text", "fill", "#9a3412", "#f2a27b"},
    PageColour{".mark-line", "stroke", "#b3261e", "#f2837b"},
    PageColour{".mark-text", "fill", "#a3221b", "#f7958e"},
    PageColour{".step-line", "stroke", "#5a606b", "#a6acb8"},
    PageColour{".peak-line", "stroke", "#1d2026", "#e8eaee"},
    PageColour{".peak-dot", "fill", "#1d2026", "#e8eaee"},
    PageColour{".snapshot-mark", "fill", "#5a606b", "#a6acb8"},
    PageColour{".cut", "stroke", "#5a606b", "#a6acb8"},
    PageColour{"#detail-text", "color", "#1d2026", "#e8eaee"},
};

std::string paint_rule(const Paint& paint, bool dark) {
  return fmt::format("path.{0},.{0} rect{{fill:{1}}}text.{0},.{0} text{{fill:{2}}}\n", paint.name,
                     dark ? paint.dark_fill : paint.light_fill, dark ? paint.dark_text : paint.light_text);
}

std::string rules(bool dark, ColorBy color) {
  std::string css;
  if (color == ColorBy::origin)
    for (const CodeOrigin origin : kOrigins)
      css += paint_rule(paint_of(origin), dark);
  else
    for (const Paint& paint : color == ColorBy::kind ? kind_paints() : hues())
      css += paint_rule(paint, dark);
  for (const Paint* paint : {&paint::kOtherLines, &paint::kNoStack})
    css += paint_rule(*paint, dark);
  return css + colour_rules(kColours, dark);
}

} // namespace

std::string timeline_css(ColorBy color) {
  // As in lists and legends; a viewer that does not support the pattern uses the plain colour.
  const std::string no_stack = fmt::format("path.{}{{fill:url(#{})}}\n", paint::kNoStack.name, kUnknownPattern);
  return std::string(kTimelineStyle) + in_both_schemes([&](bool dark) { return rules(dark, color); }) + no_stack;
}

} // namespace memviz::render
