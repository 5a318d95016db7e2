#include "page/narrow_head.hpp"

#include "page/leading_rows.hpp"
#include "page/notes.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

/// The width that the head is laid out for, with the margins of a phone in web/core/sheet.js.
constexpr double kNarrowWidth = 400;
constexpr double kNarrowMargin = 12;
constexpr double kNarrowContent = kNarrowWidth - 2 * kNarrowMargin;
constexpr double kScale = kPageWidth / kNarrowWidth;
/// Sizes of `.narrow` in page.css.
constexpr Paragraph kHeadline{
    .css_class = "headline", .font_size = 18, .line_height = 21, .width = kNarrowContent, .font = Font::bold};
constexpr Paragraph kAnswer{
    .css_class = "answer", .font_size = 14, .line_height = 18, .width = kNarrowContent, .font = Font::regular};
constexpr double kNarrowTop = 8;
constexpr double kNarrowGap = 4;
constexpr double kNarrowRowHeight = 20;

double height_of(const Paragraph& paragraph, const std::string& text) {
  const std::size_t lines = wrap(text, paragraph.width, paragraph.font_size, paragraph.font).size();
  return static_cast<double>(std::min(lines, paragraph.most_lines)) * paragraph.line_height;
}

/// Draws a paragraph with its top at `y`; returns the height below it.
double draw(XmlElement parent, double y, const Paragraph& paragraph, const std::string& text) {
  return draw_paragraph(parent.child("g"), y + paragraph.font_size, paragraph, text) - paragraph.font_size;
}

} // namespace

void draw_narrow_head(Page& page, double bottom, const NarrowHead& head) {
  page.leave_sections_to_wide_pictures();
  XmlElement narrow = add_group(page.svg(), "narrow").set("display", "none").set("aria-hidden", "true");
  narrow.set("transform", fmt::format("translate({} 0) scale({})", px((kNarrowMargin - kMargin) * kScale), px(kScale)));
  const double room = bottom / kScale;
  Paragraph headline = kHeadline;
  headline.most_lines = static_cast<std::size_t>(std::max(1.0, (room - kNarrowTop) / headline.line_height));
  const bool is_cut =
      wrap(head.headline, headline.width, headline.font_size, headline.font).size() > headline.most_lines;
  const std::string& shown = is_cut && !head.short_headline.empty() ? head.short_headline : head.headline;
  double y = draw(narrow, kNarrowTop, headline, shown);
  std::size_t rows = head.users == nullptr ? 0 : count_leading_rows(*head.users);
  while (rows > 1 && y + kNarrowGap + static_cast<double>(rows) * kNarrowRowHeight > room)
    --rows;
  const double rows_height = kNarrowGap + static_cast<double>(rows) * kNarrowRowHeight;
  if (!head.answer.empty() && y + kNarrowGap + height_of(kAnswer, head.answer) + rows_height <= room)
    y = draw(narrow, y + kNarrowGap, kAnswer, head.answer);
  y += kNarrowGap;
  for (std::size_t i = 0; i < rows; ++i, y += kNarrowRowHeight)
    draw_stacked_row(narrow, y, head.users->rows[i], kNarrowContent);
  for (const std::string& sentence : head.sentences)
    if (y + kNarrowGap + height_of(kAnswer, sentence) <= room) y = draw(narrow, y + kNarrowGap, kAnswer, sentence);
}

} // namespace memviz::render
