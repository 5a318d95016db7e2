#include "page/leading_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

namespace memviz::render {
namespace {

// web/core/flows.js shortens labels by the same numbers.
constexpr double kLeadingFontSize = 13; // as for `.row text` in page.css
constexpr double kLeadingLineHeight = 22;
constexpr double kLeadingGap = 18;
constexpr double kLeadingSwatch = 16;
constexpr double kLabelGap = 8;
constexpr double kColumnWidth = kLeadingFontSize * kMonoEm;
/// A label of this many columns leaves room for others.
constexpr std::size_t kMostColumns = 46;
/// A row of fewer hundredths of the first row than this is not worth a line.
constexpr std::uint64_t kLeastShare = 1;

struct LeadingRow {
  const RankedRow& row;
  std::string label;
  double label_x = 0;
  double width = 0;
};

/// Returns name and place, or the place alone if no part of the name fits next to it: readers need the place.
std::string leading_label(const Label& label, std::size_t columns) {
  const bool has_room = columns_of(label.place) + 9 <= columns;
  if (label.place.empty() || has_room) return row_label(label, columns);
  return cut_start(label.place, columns);
}

LeadingRow leading_row(const RankedRow& row, std::size_t columns) {
  LeadingRow leading{row, leading_label({.name = shown_name(row), .place = row.label.place}, columns)};
  leading.label_x = kLeadingSwatch + sans_width(row.value, kLeadingFontSize, Font::bold) + kLabelGap;
  leading.width = leading.label_x + static_cast<double>(columns_of(leading.label)) * kColumnWidth;
  return leading;
}

std::vector<LeadingRow> leading_rows_of(std::span<const RankedRow> rows, std::size_t columns) {
  std::vector<LeadingRow> leading;
  for (const RankedRow& row : rows)
    leading.push_back(leading_row(row, columns));
  return leading;
}

bool is_one_line(const std::vector<LeadingRow>& rows) {
  const double gaps = kLeadingGap * static_cast<double>(rows.size() - 1);
  return std::accumulate(rows.begin(), rows.end(), gaps,
                         [](double sum, const LeadingRow& row) { return sum + row.width; }) <= kContentWidth;
}

void draw_row(XmlElement item, double x, double top, const LeadingRow& leading) {
  add_rect(add_group(item, leading.row.paint->name), x, top + 6, 11, 11).set("rx", 2).set("class", "swatch");
  add_text(item, x + kLeadingSwatch, top + 16, "strong", leading.row.value);
  add_text(item, x + leading.label_x, top + 16, "mono", leading.label).set("data-part", "label");
}

std::size_t worth_a_line(const std::vector<RankedRow>& rows) {
  const std::uint64_t least_bytes = rows.front().bar_bytes / 100 * kLeastShare;
  std::size_t count = 1;
  while (count < std::min(kLeadingRows, rows.size()) && rows[count].bar_bytes >= least_bytes)
    ++count;
  return count;
}

} // namespace

double draw_leading_rows(Page& page, double y, const RankedList& list) {
  if (list.rows.empty()) return y;
  XmlElement section = page.add_section(y, "items").set("data-line", kLeadingLineHeight).set("data-gap", kLeadingGap);
  section.set("data-leading", "1");
  const std::span rows = std::span(list.rows).first(worth_a_line(list.rows));
  // Labels are whole where all fit one line.
  std::vector<LeadingRow> leading = leading_rows_of(rows, kMostNameColumns);
  if (!is_one_line(leading)) leading = leading_rows_of(rows, kMostColumns);
  double x = kMargin;
  double top = y;
  for (const LeadingRow& one : leading) {
    if (x > kMargin && x + one.width > kMargin + kContentWidth) {
      x = kMargin;
      top += kLeadingLineHeight;
    }
    const RankedRow& row = one.row;
    XmlElement item = add_group(section, "row").set("data-x", x).set("data-y", top);
    item.set("data-find", words_to_find(row)).set("data-name", shown_name(row));
    if (!row.label.place.empty()) item.set("data-place", row.label.place);
    draw_row(item, x, top, one);
    x += one.width + kLeadingGap;
  }
  section.set("data-height", top - y + kLeadingLineHeight);
  return top + kLeadingLineHeight + 8;
}

std::size_t count_leading_rows(const RankedList& list) {
  return list.rows.empty() ? 0 : worth_a_line(list.rows);
}

void draw_stacked_row(XmlElement parent, double y, const RankedRow& row, double width) {
  const double label_width = width - leading_row(row, 1).label_x;
  draw_row(add_group(parent, "row"), kMargin, y,
           leading_row(row, static_cast<std::size_t>(label_width / kColumnWidth)));
}

} // namespace memviz::render
