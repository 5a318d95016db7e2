#include "page/legend.hpp"

#include "page/kind_paints.hpp"
#include "page/text_fit.hpp"

namespace memviz::render {
namespace {

constexpr double kLegendFontSize = 12;

double width_of(const std::string& text) {
  return sans_width(text, kLegendFontSize, Font::regular);
}

void draw_hint(XmlElement section, bool begins_line, double y, const std::string& hint, std::string_view id) {
  const double right = kMargin + kContentWidth;
  XmlElement item = section.child("g").set("data-end", "1").set("data-y", y);
  item.set("data-x", begins_line ? kMargin : right - width_of(hint));
  add_text(item, begins_line ? kMargin : right, y + 16, begins_line ? "muted" : "muted end", hint).set("id", id);
}

} // namespace

double draw_legend(Page& page, double y, const std::vector<LegendEntry>& entries, const std::string& hint,
                   std::string_view hint_id) {
  constexpr double kLineHeight = 20;
  constexpr double kGap = 14;
  constexpr double kSwatchWidth = 16;
  XmlElement section = page.add_section(y, "items").set("data-line", kLineHeight).set("data-gap", kGap);
  const double right = kMargin + kContentWidth;
  double x = kMargin;
  double top = y;
  const auto break_line = [&] {
    x = kMargin;
    top += kLineHeight;
  };
  for (const LegendEntry& entry : entries) {
    const double width = kSwatchWidth + width_of(entry.meaning);
    if (x > kMargin && x + width > right) break_line();
    XmlElement item = section.child("g").set("data-x", x).set("data-y", top);
    add_rect(add_group(item, entry.paint->name), x, top + 6, 11, 11).set("rx", 2).set("class", "swatch");
    add_text(item, x + kSwatchWidth, top + 16, "", entry.meaning);
    x += width + kGap;
  }
  if (!hint.empty()) {
    if (x > kMargin && x + width_of(hint) > right) break_line();
    draw_hint(section, x == kMargin, top, hint, hint_id);
  }
  section.set("data-height", top - y + kLineHeight);
  return top + 26;
}

std::vector<LegendEntry> kind_legend() {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < kMemoryKinds; ++i) {
    const auto kind = static_cast<MemoryKind>(i);
    if (kind == MemoryKind::unknown) entries.push_back({&paint::kSeveralKinds, "several kinds"});
    entries.push_back({&kind_paint(kind), std::string(kind_label(kind))});
  }
  return entries;
}

std::string reading_hint(const SvgOptions& options, bool is_squeezed) {
  const std::string order = options.upward ? "callers below callees" : "callers above callees";
  return is_squeezed ? "width = bytes except for torn boxes; " + order : "width = bytes, " + order;
}

} // namespace memviz::render
