#include "page/notes.hpp"

#include "page/text_fit.hpp"

#include "memviz/format.hpp"
#include "memviz/version.hpp"

#include <fmt/format.h>

namespace memviz::render {
namespace {

constexpr double kNotesFontSize = 12;
constexpr double kLineHeight = 18;
constexpr double kMarkWidth = 20;
constexpr double kBaseline = 13;

/// Returns the last space of text[0, size] at which a line may end; npos if there is none.
std::size_t last_break(std::string_view text, std::size_t size) {
  std::size_t space = text.rfind(' ', size);
  while (space != std::string_view::npos && space > 0) {
    const std::string_view next = text.substr(space + 1);
    if (!is_unit(next.substr(0, next.find(' ')))) return space;
    space = text.rfind(' ', space - 1);
  }
  return std::string_view::npos;
}

/// A paragraph as lines, each a piece of `text`; a piece without a space before it continues a word.
std::vector<std::string_view> lines_of(std::string_view text, double width, double font_size, Font font) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t size = fit_sans_prefix(text, width, font_size, font).size();
    const std::size_t space = size < text.size() ? last_break(text, size) : std::string_view::npos;
    if (space != std::string_view::npos) size = space;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
    while (text.starts_with(' '))
      text.remove_prefix(1);
  }
  return lines;
}

double draw_note(XmlElement section, double y, std::string_view css_class, const std::string& text, double indent = 0) {
  const Paragraph paragraph{css_class, kNotesFontSize, kLineHeight, kContentWidth - indent, indent};
  return draw_paragraph(section, y + kBaseline, paragraph, text) - kBaseline;
}

} // namespace

std::vector<std::string> wrap(const std::string& text, double width, double font_size, Font font) {
  const std::vector<std::string_view> lines = lines_of(text, width, font_size, font);
  return {lines.begin(), lines.end()};
}

double draw_paragraph(XmlElement section, double y, const Paragraph& paragraph, const std::string& text) {
  section.set("data-line", paragraph.line_height);
  if (paragraph.indent > 0) section.set("data-indent", paragraph.indent);
  const std::vector<std::string_view> lines = lines_of(text, paragraph.width, paragraph.font_size, paragraph.font);
  for (std::size_t i = 0; i < lines.size() && i < paragraph.most_lines; ++i) {
    const bool is_cut = i + 1 == paragraph.most_lines && i + 1 < lines.size();
    const auto begin = static_cast<std::size_t>(lines[i].data() - text.data());
    const std::string line = is_cut ? fit_sans(text.substr(begin), paragraph.width, paragraph.font_size, paragraph.font)
                                    : std::string(lines[i]);
    XmlElement element = add_text(section, kMargin + paragraph.indent, y, paragraph.css_class, line);
    // For the script, which joins the lines again.
    if (begin > 0 && text[begin - 1] != ' ') element.set("data-glued", "1");
    y += paragraph.line_height;
  }
  return y;
}

double draw_warnings(Page& page, double y, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    XmlElement section = page.add_section(y, "words");
    section.child("path")
        .set("class", "warning-mark")
        .set("d", fmt::format("M{} {}l6 -11 6 11z", px(kMargin), px(y + 14)));
    y = draw_note(section, y, "warning", warning, kMarkWidth);
  }
  return y;
}

double draw_notes(Page& page, double y, const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    y = draw_note(page.add_section(y, "words"), y, "muted", note);
  return y;
}

double draw_verdict(Page& page, double y, bool is_good, const std::string& note) {
  if (!is_good) return draw_warnings(page, y, {note});
  XmlElement section = page.add_section(y, "words");
  section.child("path").set("class", "good").set("d", fmt::format("M{} {}l4 4 7 -9", px(kMargin + 1), px(y + 9)));
  return draw_note(section, y, "muted", note, kMarkWidth);
}

double draw_signature(Page& page, double y) {
  return draw_note(page.add_section(y, "words"), y, "muted", fmt::format("drawn by memviz {}", version())) + 16;
}

} // namespace memviz::render
