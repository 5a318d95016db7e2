#include "page/legend.hpp"

#include "page/text_fit.hpp"

namespace memviz::render {

double draw_legend(Page& page, double y, const std::vector<LegendEntry>& entries, const std::string& hint) {
  double x = kMargin;
  for (const LegendEntry& entry : entries) {
    XmlElement group = add_group(page.svg(), entry.paint->name);
    add_rect(group, x, y + 6, 11, 11).set("rx", 2);
    add_text(page.svg(), x + 16, y + 16, "", entry.meaning);
    // The upper bound is generous: 0.85 of it is what the widest real font needs.
    x += 16 + sans_width(entry.meaning, 12) * 0.85 + 14;
  }
  if (x + sans_width(hint, 12) < kMargin + kContentWidth)
    add_text(page.svg(), kMargin + kContentWidth, y + 16, "muted end", hint).set("id", "reading");
  return y + 26;
}

std::string reading_hint(const SvgOptions& options, bool is_squeezed) {
  const std::string order = options.upward ? "callers below callees" : "callers above callees";
  return is_squeezed ? "width = bytes, but dashed boxes are squeezed; " + order : "width = bytes, " + order;
}

} // namespace memviz::render
