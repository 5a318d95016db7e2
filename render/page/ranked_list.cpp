#include "page/ranked_list.hpp"

#include "memviz/format.hpp"
#include "story/kind_words.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

// web/core/flows.js lays out rows with the same numbers.
constexpr double kListRowHeight = 23;
constexpr double kSecondLine = 19;
constexpr double kValueWidth = 88; // the right edge of right-aligned values
constexpr double kBarStart = 100;
constexpr double kBarWidth = 64;
constexpr double kListFontSize = 13;
/// Lists narrower than this have the label on a second line of each row.
constexpr double kTwoLinesBelow = 640;
/// The minimum columns for a useful chain of callers.
constexpr std::size_t kLeastVia = 14;
/// The maximum width of the column of kinds; the tooltip has the rest.
constexpr double kMostKinds = 168;
constexpr double kKindsGap = 14;

/// The columns of a row, from the left edge of the list.
struct Columns {
  double share_end = 0;
  double label_start = 0;
  double label_width = 0;
  double kinds_start = 0;
  double kinds_width = 0; ///< 0: there is no such column
  bool is_tall = false;   ///< two lines per row
};

Columns columns_for(const RankedList& list) {
  double note_width = 0;
  double kinds_width = 0;
  bool has_share = false;
  for (const RankedRow& row : list.rows) {
    note_width = std::max(note_width, sans_width(row.note, kListFontSize));
    kinds_width = std::max(kinds_width, sans_width(row.kinds, kListFontSize));
    has_share = has_share || !row.share.empty();
  }
  Columns columns;
  columns.is_tall = list.width < kTwoLinesBelow;
  columns.share_end = kBarStart + kBarWidth + (has_share ? 66 : 0);
  columns.label_start = columns.is_tall ? 0 : columns.share_end + 18;
  columns.kinds_width = std::min(kinds_width, kMostKinds);
  columns.kinds_start = list.width - note_width - kKindsGap - columns.kinds_width;
  const double right = columns.kinds_width > 0 ? columns.kinds_start - kKindsGap : list.width - note_width - 12;
  columns.label_width = (columns.is_tall ? list.width : right) - columns.label_start;
  return columns;
}

/// Returns what fits after the label: the text of the line, and its callers.
std::string via_text(const RankedRow& row) {
  const std::string& via = row.via.empty() ? row.label.note : row.via;
  if (row.label.source.empty() || via.empty()) return row.label.source + via;
  return fmt::format("{}  {}", row.label.source, via);
}

/// Returns the label, followed, if there is room, by the text of the line and its callers.
void draw_label(XmlElement group, double x, double baseline, double width, const RankedRow& row) {
  const auto columns_of_line = static_cast<std::size_t>(std::max(0.0, width / (kListFontSize * kMonoEm)));
  const std::string label = row_label({.name = shown_name(row), .place = row.label.place}, columns_of_line);
  add_text(group, x, baseline, "mono", label).set("data-part", "label");
  const std::string via = via_text(row);
  if (via.empty()) return;
  const double label_width = static_cast<double>(columns_of(label)) * kListFontSize * kMonoEm + 12;
  const auto columns = static_cast<std::size_t>(std::max(0.0, (width - label_width) / (kListFontSize * kMonoEm)));
  add_text(group, x + label_width, baseline, "mono muted", columns < kLeastVia ? "" : cut_end(via, columns))
      .set("data-part", "via");
  group.set("data-via", via);
}

/// Returns as many of them as fit, largest first.
std::string fitting_kinds(std::string kinds, double width) {
  for (std::size_t end = kinds.rfind(", "); end != std::string::npos && sans_width(kinds, kListFontSize) > width;
       end = kinds.rfind(", "))
    kinds.resize(end);
  return fit_sans(kinds, width, kListFontSize);
}

void draw_row(XmlElement group, double y, const RankedList& list, const Columns& columns, const RankedRow& row) {
  group.set("data-find", words_to_find(row));
  group.set("data-name", shown_name(row)).set("data-y", y);
  if (!row.label.place.empty()) group.set("data-place", row.label.place);
  group.child("title").text(row.title);
  const double baseline = y + 14;
  add_text(group, list.x + kValueWidth, baseline, row.is_within ? "end" : "strong end", row.value)
      .set("data-part", "value");
  std::uint64_t longest = 1;
  for (const RankedRow& other : list.rows)
    longest = std::max(longest, other.bar_bytes);
  const double share = static_cast<double>(row.bar_bytes) / static_cast<double>(longest);
  group.set("data-length", fmt::format("{:.4f}", share));
  add_rect(add_group(group, row.paint->name), list.x + kBarStart, y + 6, std::max(1.0, kBarWidth * share), 9)
      .set("rx", 1)
      .set("class", "swatch")
      .set("data-part", "bar");
  if (!row.share.empty())
    add_text(group, list.x + columns.share_end, baseline, "muted end", row.share).set("data-part", "share");
  draw_label(group, list.x + columns.label_start, baseline + (columns.is_tall ? kSecondLine : 0), columns.label_width,
             row);
  if (columns.kinds_width > 0 && !columns.is_tall && !row.kinds.empty()) {
    group.set("data-kinds", row.kinds);
    add_text(group, list.x + columns.kinds_start, baseline, "muted", fitting_kinds(row.kinds, columns.kinds_width))
        .set("data-part", "kinds");
  }
  add_text(group, list.x + list.width, baseline, "muted end", row.note).set("data-part", "note");
}

} // namespace

RankedList holders_list(const HolderTable& table, const HolderLook& look) {
  RankedList list{.heading = table.heading, .rows = {}, .rest = table.rest};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const HolderRow& row = table.rows[i];
    const std::string kinds = kinds_lines(row.kinds);
    list.rows.push_back({.value = format_bytes(row.amount.bytes),
                         .bar_bytes = row.amount.bytes,
                         .share = row.share,
                         .label = look.labels[i],
                         .note = row.note,
                         .title = look.title_of(i) + (kinds.empty() ? "" : "\n" + kinds),
                         .paint = &look.paint_of(row),
                         .kinds = kinds_cell(row.kinds),
                         .is_within = row.is_within});
  }
  return list;
}

std::string shown_name(const RankedRow& row) {
  return (row.is_within ? "↳ " : "") + row.label.name;
}

std::string row_label(const Label& label, std::size_t columns) {
  constexpr std::size_t kLeastName = 8;
  const std::size_t place_columns = columns_of(label.place) + 1;
  if (label.place.empty() || columns < place_columns + kLeastName) return cut_name(label.name, columns);
  return fmt::format("{} {}", cut_name(label.name, columns - place_columns), label.place);
}

std::string words_to_find(const RankedRow& row) {
  return row.find.empty() ? words_to_find(row.label) : row.find;
}

std::string words_to_find(const Label& label) {
  return label.place.empty() ? label.name : fmt::format("{} {}", label.name, label.place);
}

double draw_ranked_list(Page& page, double y, const RankedList& list) {
  const Columns columns = columns_for(list);
  XmlElement section = page.add_section(y, "rows");
  if (list.width < kContentWidth) section.set("data-column", "1");
  if (columns.is_tall) section.set("data-tall", "1");
  add_text(section, list.x, y + 16, "section", list.heading).set("data-part", "heading");
  y += 30;
  for (const RankedRow& row : list.rows) {
    draw_row(add_group(section, "row"), y, list, columns, row);
    y += kListRowHeight + (columns.is_tall ? kSecondLine : 0);
  }
  if (list.rest.empty()) return y + 6;
  const double x = list.rows.empty() || columns.is_tall ? list.x : list.x + kBarStart;
  add_text(section, x, y + 14, "muted", list.rest).set("data-part", "rest").set("data-left", list.x);
  return y + kListRowHeight + 6;
}

} // namespace memviz::render
