#include "memviz/overlay_svg.hpp"

#include "page/header.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/page.hpp"
#include "page/palette.hpp"
#include "timeline/timeline_scale.hpp"

#include "story/overlay_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>

namespace memviz {
namespace render {
namespace {

constexpr double kOverlayHeight = 320;
constexpr std::array kOverlayColours{
    PageColour{".run-before", "fill", paint::kRemoved.light_fill, paint::kRemoved.dark_fill},
    PageColour{".run-before", "stroke", paint::kRemoved.light_fill, paint::kRemoved.dark_fill},
    PageColour{".run-after", "fill", paint::kAdded.light_fill, paint::kAdded.dark_fill},
    PageColour{".run-after", "stroke", paint::kAdded.light_fill, paint::kAdded.dark_fill},
};
/// The second line is dashed, so that the two differ without colours.
constexpr std::string_view kOverlayStyle = ".run-before,.run-after{fill-opacity:.25;stroke-width:1.5;"
                                           "stroke-linejoin:round}\n.run-after{stroke-dasharray:5 2}\n";

/// Returns the outline of live memory: forward along the most bytes, back along the least.
std::string outline(const std::vector<LiveSpan>& columns, double column_width, const ByteScale& scale, double top) {
  std::string path;
  const auto add = [&](std::size_t column, std::uint64_t bytes) {
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L",
                        px(kChartLeft + (static_cast<double>(column) + 0.5) * column_width), px(top + scale.y(bytes)));
  };
  for (std::size_t i = 0; i < columns.size(); ++i)
    add(i, columns[i].high_bytes);
  for (std::size_t i = columns.size(); i-- > 0;)
    add(i, columns[i].low_bytes);
  return path.empty() ? path : path + "Z";
}

/// Draws a tick at the beginning of each step, or of some if there are many; else at the quarters.
std::vector<Tick> place_ticks(const Overlay& overlay) {
  constexpr std::size_t kMostTicks = 6;
  std::vector<Tick> ticks;
  const auto steps = static_cast<std::size_t>(overlay.length);
  const bool is_by_step = overlay.axis == OverlayAxis::step;
  const std::size_t parts = is_by_step ? std::max<std::size_t>(steps, 1) : 4;
  const std::size_t stride = (parts + kMostTicks - 1) / kMostTicks;
  for (std::size_t i = 0; i < parts + (is_by_step ? 0 : 1); i += stride) {
    const double share = static_cast<double>(i) / static_cast<double>(parts);
    ticks.push_back({share * kChartWidth, overlay_place(overlay, share)});
  }
  return ticks;
}

void draw_axes(XmlElement section, double y, const ByteScale& scale, const Overlay& overlay) {
  for (const Tick& tick : scale.ticks()) {
    section.child("path")
        .set("class", "rule")
        .set("d", fmt::format("M{} {}h{}", px(kChartLeft), px(y + tick.at), px(kChartWidth)));
    add_text(section, kChartLeft - 8, y + tick.at + 4, "muted", tick.text).set("text-anchor", "end");
  }
  for (const Tick& tick : place_ticks(overlay)) {
    const std::string_view anchor = tick.at == 0                                                     ? "start"
                                    : tick.at + 1 > kChartWidth && overlay.axis != OverlayAxis::step ? "end"
                                                                                                     : "middle";
    section.child("path")
        .set("class", "rule")
        .set("d", fmt::format("M{} {}v5", px(kChartLeft + tick.at), px(y + kOverlayHeight)));
    add_text(section, kChartLeft + tick.at, y + kOverlayHeight + 18, "muted", tick.text).set("text-anchor", anchor);
  }
}

void mark_most(XmlElement section, double y, double column_width, const Overlay& overlay) {
  if (!overlay.most) return;
  const double x = kChartLeft + (static_cast<double>(*overlay.most) + 0.5) * column_width;
  section.child("path").set("class", "rule").set("d", fmt::format("M{} {}v{}", px(x), px(y), px(kOverlayHeight)));
  const bool is_right = x > kPageWidth / 2;
  add_text(section, x + (is_right ? -5 : 5), y + 12, "muted", "differ most")
      .set("text-anchor", is_right ? "end" : "start");
}

double draw_curves(Page& page, double y, const Overlay& overlay) {
  std::uint64_t highest = 1;
  for (const OverlaySide* side : {&overlay.before, &overlay.after})
    for (const LiveSpan& span : side->columns)
      highest = std::max(highest, span.high_bytes);
  const ByteScale scale(highest, 0, kOverlayHeight, 16);
  const double column_width = kChartWidth / static_cast<double>(overlay.columns);
  XmlElement section = page.add_section(y, "overlay");
  draw_axes(section, y, scale, overlay);
  section.child("path").set("class", "run-before").set("d", outline(overlay.before.columns, column_width, scale, y));
  section.child("path").set("class", "run-after").set("d", outline(overlay.after.columns, column_width, scale, y));
  mark_most(section, y, column_width, overlay);
  return y + kOverlayHeight + 30;
}

/// The file with a piece of its line before it.
double draw_run(Page& page, double y, std::string_view side, const std::string& file, const OverlaySide& run) {
  constexpr std::size_t kFileColumns = 50;
  XmlElement section = page.add_section(y, "run");
  section.child("path")
      .set("class", fmt::format("run-{}", side))
      .set("d", fmt::format("M{} {}h40", px(kMargin), px(y + 8)));
  return draw_facts(page, y + 14, fmt::format("{:<7} {}", side, cut_start(file, kFileColumns)), overlay_facts(run));
}

std::string draw(const OverlayPicture& picture, const SvgOptions& options) {
  const Overlay& overlay = picture.overlay;
  const std::string headline = overlay_headline(overlay);
  Page page(options, "memviz timeline: " + headline);
  page.svg().child("style").cdata(std::string(kOverlayStyle) +
                                  in_both_schemes([](bool dark) { return colour_rules(kOverlayColours, dark); }));
  double y = draw_headline(page, headline);
  y = draw_answer(page, y, overlay_answer(overlay)) + 4;
  y = draw_run(page, y, "before", picture.before_file, overlay.before);
  y = draw_run(page, y, "after", picture.after_file, overlay.after) + 12;
  draw_narrow_head(page, y, {.headline = headline, .answer = overlay_answer(overlay)});
  y = draw_curves(page, y, overlay) + 8;
  page.begin_below_graph();
  add_rule(page.below_graph(), y);
  y = draw_warnings(page, y + 14, picture.warnings);
  return page.finish(draw_signature(page, draw_notes(page, y, overlay_notes(overlay))));
}

} // namespace
} // namespace render

std::string overlay_svg(const OverlayPicture& picture, const SvgOptions& options) {
  return render::draw(picture, options);
}

} // namespace memviz
