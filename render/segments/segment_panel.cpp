#include "segments/segment_panel.hpp"

#include "page/header.hpp"
#include "page/naming.hpp"
#include "page/ranked_list.hpp"
#include "segments/segment_rows.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace memviz::render {
namespace {

constexpr std::size_t kPinnedRows = 24;
constexpr std::size_t kOtherRows = 12;
/// The lines that pin free memory are listed from this share of what is reserved on: 1/1000.
constexpr std::uint64_t kWorthAList = 1000;

RankedList pinning_lines(const SegmentPanel& panel) {
  RankedList list;
  list.heading = "What pins free memory, by your own line of code";
  const FrameTable& frames = panel.state.frames();
  std::vector<NodeKey> keys;
  for (const PinningLine& line : panel.details.pins.lines) {
    if (list.rows.size() == kRankedRows) break;
    keys.push_back(line.key);
    list.rows.push_back({format_bytes(line.held_bytes),
                         line.held_bytes,
                         "",
                         {},
                         fmt::format("with {}, {} in {}", format_counted(line.active.blocks, "block"),
                                     format_bytes(line.active.bytes), format_counted(line.segments, "segment")),
                         fmt::format("{}\nholds {} bytes of free memory, {} of them alone",
                                     key_heading(frames, panel.origins, line.key), format_count(line.held_bytes),
                                     format_count(line.alone_bytes)),
                         &key_paint(panel.origins, line.key)});
  }
  name_rows(list, line_labels(frames, keys));
  if (panel.details.pins.lines.size() > list.rows.size())
    list.rest = "and " + format_counted(panel.details.pins.lines.size() - list.rows.size(), "more line");
  return list;
}

/// Heading, the first `shown` rows, and what is left out; returns the height below.
double draw_strips(Page& page, double y, const SegmentPanel& panel, std::span<const SegmentRow> rows,
                   std::size_t shown) {
  XmlElement parent = page.below_graph();
  add_rule(parent, y);
  y = draw_heading(page, y + 12, "Segments, with their blocks in address order", pins_text(panel.details.pins));
  std::uint64_t largest_bytes = 1;
  for (const SegmentRow& row : rows.first(shown))
    largest_bytes = std::max(largest_bytes, row.segment->total_bytes);
  y = draw_rows(parent, y, panel, rows.first(shown), largest_bytes);
  if (shown == rows.size()) return y;
  std::uint64_t rest = 0;
  std::uint64_t rest_bytes = 0;
  for (const SegmentRow& row : rows.subspan(shown)) {
    rest += row.count;
    rest_bytes += bytes_of(row);
  }
  add_text(parent, kMargin, y + 12, "small muted",
           fmt::format("and {} with {} together", format_counted(rest, "more segment"), format_bytes(rest_bytes)));
  return y + 22;
}

} // namespace

std::string pins_text(const Pins& pins) {
  if (pins.segments.empty()) return "No segment is less than half in use and still needed.";
  return fmt::format("{} less than half in use: {} of blocks keep {} of free memory from being given back.",
                     pins.segments.size() == 1 ? "1 segment is" : format_count(pins.segments.size()) + " segments are",
                     format_bytes(pins.active.bytes), format_bytes(pins.held_bytes));
}

double draw_segment_panel(Page& page, double y, const SegmentPanel& panel) {
  std::vector<SegmentRow> rows = rows_of(panel);
  if (rows.empty()) return y;
  std::uint64_t reserved_bytes = 0;
  for (const SegmentRow& row : rows)
    reserved_bytes += bytes_of(row);
  if (panel.details.pins.held_bytes > reserved_bytes / kWorthAList) {
    add_rule(page.below_graph(), y);
    y = draw_ranked_list(page, y + 14, pinning_lines(panel)) + 4;
  }
  rows = merged_alike(rows, panel.state);
  // What is left out stands last.
  const auto first_other = std::find_if(rows.begin(), rows.end(), [](const SegmentRow& row) { return !row.pinned; });
  const auto pinned = std::min<std::ptrdiff_t>(kPinnedRows, first_other - rows.begin());
  const auto others = std::min<std::ptrdiff_t>(kOtherRows, rows.end() - first_other);
  std::rotate(rows.begin() + pinned, first_other, first_other + others);
  return draw_strips(page, y, panel, rows, static_cast<std::size_t>(pinned + others));
}

} // namespace memviz::render
