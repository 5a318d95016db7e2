#include "page/leading_rows.hpp"

#include <algorithm>

namespace memviz::render {
namespace {

constexpr double kLeadingFontSize = 13; // as for `.row text` in page.css
constexpr double kLeadingLineHeight = 22;
constexpr double kLeadingGap = 18;
constexpr double kLeadingSwatch = 16;
constexpr double kLabelGap = 8;
/// A label of this many columns leaves room for its bytes on a phone.
constexpr std::size_t kMostColumns = 36;

/// Returns name and place, or the place alone if no part of the name fits next to it: readers need the place.
std::string leading_label(const Label& label) {
  const bool has_room = columns_of(label.place) + 9 <= kMostColumns;
  if (label.place.empty() || has_room) return row_label(label, kMostColumns);
  return cut_start(label.place, kMostColumns);
}

double value_width(const RankedRow& row) {
  return sans_width(row.value, kLeadingFontSize, Font::bold);
}

} // namespace

double draw_leading_rows(Page& page, double y, const RankedList& list) {
  if (list.rows.empty()) return y;
  XmlElement section = page.add_section(y, "items").set("data-line", kLeadingLineHeight).set("data-gap", kLeadingGap);
  section.set("data-leading", "1");
  double x = kMargin;
  double top = y;
  for (std::size_t i = 0; i < std::min(kLeadingRows, list.rows.size()); ++i) {
    const RankedRow& row = list.rows[i];
    const std::string label = (row.is_within ? "↳ " : "") + leading_label(row.label);
    const double label_x = kLeadingSwatch + value_width(row) + kLabelGap;
    const double width = label_x + static_cast<double>(columns_of(label)) * kLeadingFontSize * kMonoEm;
    if (x > kMargin && x + width > kMargin + kContentWidth) {
      x = kMargin;
      top += kLeadingLineHeight;
    }
    XmlElement item = add_group(section, "row").set("data-x", x).set("data-y", top);
    item.set("data-find", words_to_find(row.label));
    add_rect(add_group(item, row.paint->name), x, top + 6, 11, 11).set("rx", 2);
    add_text(item, x + kLeadingSwatch, top + 16, "strong", row.value);
    add_text(item, x + label_x, top + 16, "mono", label);
    x += width + kLeadingGap;
  }
  section.set("data-height", top - y + kLeadingLineHeight);
  return top + kLeadingLineHeight + 8;
}

} // namespace memviz::render
