#include "page/ranked_list.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

constexpr double kRowHeight = 23;
constexpr double kValueWidth = 88; // right-aligned values end here
constexpr double kBarStart = 100;
constexpr double kFontSize = 13;
/// Fewer columns than this are no use to show where a line was called from.
constexpr std::size_t kLeastVia = 14;

/// How a row is divided, from the left edge of the list.
struct Columns {
  double bar_width;
  double share_end;
  double label_start;
  double label_width;
};

Columns columns_for(double width, bool has_share, double note_width) {
  Columns columns{};
  columns.bar_width = width > 800 ? 150 : 64;
  columns.share_end = kBarStart + columns.bar_width + (has_share ? 66 : 0);
  columns.label_start = columns.share_end + 18;
  columns.label_width = width - columns.label_start - note_width - 12;
  return columns;
}

/// Name and place; where both are too long the name is cut, because the place is what a reader goes to.
std::string row_label(const Label& label, double width) {
  constexpr std::size_t kLeastName = 8;
  const auto columns = static_cast<std::size_t>(std::max(0.0, width / (kFontSize * kMonoEm)));
  const std::size_t place_columns = columns_of(label.place) + 1;
  if (label.place.empty() || columns < place_columns + kLeastName) return cut_name(label.name, columns);
  return fmt::format("{} {}", cut_name(label.name, columns - place_columns), label.place);
}

void draw_via(XmlElement group, double x, double baseline, double width, const std::string& via) {
  const auto columns = static_cast<std::size_t>(std::max(0.0, width / (kFontSize * kMonoEm)));
  if (!via.empty() && columns >= kLeastVia) add_text(group, x, baseline, "mono muted", cut_end(via, columns));
}

} // namespace

double draw_ranked_list(Page& page, double y, const RankedList& list) {
  XmlElement parent = page.below_graph();
  add_text(parent, list.x, y + 16, "section", list.heading);
  y += 30;
  std::uint64_t longest = 1;
  double note_width = 0;
  bool has_share = false;
  for (const RankedRow& row : list.rows) {
    longest = std::max(longest, row.bar_bytes);
    note_width = std::max(note_width, sans_width(row.note, kFontSize));
    has_share = has_share || !row.share.empty();
  }
  const Columns columns = columns_for(list.width, has_share, note_width);
  for (const RankedRow& row : list.rows) {
    XmlElement group = add_group(parent, "row");
    // What the script searches for when the row is clicked.
    group.set("data-find",
              row.label.place.empty() ? row.label.name : fmt::format("{} {}", row.label.name, row.label.place));
    group.child("title").text(row.title);
    const double baseline = y + 14;
    add_text(group, list.x + kValueWidth, baseline, "strong end", row.value);
    const double length = columns.bar_width * static_cast<double>(row.bar_bytes) / static_cast<double>(longest);
    add_rect(add_group(group, row.paint->name), list.x + kBarStart, y + 6, std::max(1.0, length), 9).set("rx", 1);
    if (!row.share.empty()) add_text(group, list.x + columns.share_end, baseline, "muted end", row.share);
    const std::string label = row_label(row.label, columns.label_width);
    add_text(group, list.x + columns.label_start, baseline, "mono", label);
    const double label_width = static_cast<double>(columns_of(label)) * kFontSize * kMonoEm + 12;
    draw_via(group, list.x + columns.label_start + label_width, baseline, columns.label_width - label_width, row.via);
    add_text(group, list.x + list.width, baseline, "muted end", row.note);
    y += kRowHeight;
  }
  if (list.rest.empty()) return y + 6;
  add_text(parent, list.x + (list.rows.empty() ? 0 : kBarStart), y + 14, "muted", list.rest);
  return y + kRowHeight + 6;
}

} // namespace memviz::render
