#include "page/notes.hpp"

#include "page/text_fit.hpp"

#include "memviz/format.hpp"

#include <fmt/format.h>

namespace memviz::render {
namespace {

constexpr double kFontSize = 12;
constexpr double kLineHeight = 18;

double draw_lines(XmlElement parent, double x, double y, std::string_view css_class, const std::string& text) {
  for (const std::string& line : wrap(text, kMargin + kContentWidth - x, kFontSize)) {
    add_text(parent, x, y + 13, css_class, line);
    y += kLineHeight;
  }
  return y;
}

/// The last space of text[0, size] at which a line may end; npos if there is none.
std::size_t last_break(std::string_view text, std::size_t size) {
  std::size_t space = text.rfind(' ', size);
  while (space != std::string_view::npos && space > 0) {
    const std::string_view next = text.substr(space + 1);
    if (!is_unit(next.substr(0, next.find(' ')))) return space;
    space = text.rfind(' ', space - 1);
  }
  return std::string_view::npos;
}

} // namespace

std::vector<std::string> wrap(const std::string& text, double width, double font_size) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string line = fit_sans_prefix(rest, width, font_size);
    const std::size_t space = line.size() < rest.size() ? last_break(rest, line.size()) : std::string_view::npos;
    if (space != std::string_view::npos) line.resize(space);
    rest.remove_prefix(line.size());
    while (rest.starts_with(' '))
      rest.remove_prefix(1);
    lines.push_back(std::move(line));
  }
  return lines;
}

double draw_warnings(Page& page, double y, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    XmlElement parent = page.below_graph();
    parent.child("path")
        .set("class", "warning-mark")
        .set("d", fmt::format("M{} {}l6 -11 6 11z", px(kMargin), px(y + 14)));
    y = draw_lines(parent, kMargin + 20, y, "warning", warning);
  }
  return y;
}

double draw_notes(Page& page, double y, const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    y = draw_lines(page.below_graph(), kMargin, y, "muted", note);
  return y;
}

double draw_verdict(Page& page, double y, bool is_good, const std::string& note) {
  if (!is_good) return draw_warnings(page, y, {note});
  page.below_graph()
      .child("path")
      .set("class", "good")
      .set("d", fmt::format("M{} {}l4 4 7 -9", px(kMargin + 1), px(y + 9)));
  return draw_lines(page.below_graph(), kMargin + 20, y, "muted", note);
}

double draw_signature(Page& page, double y, const std::string& text) {
  XmlElement parent = page.below_graph();
  add_text(parent, kMargin + kContentWidth, y + 13, "muted end", text);
  return y + 34;
}

} // namespace memviz::render
