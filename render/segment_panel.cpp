#include "segment_panel.hpp"

#include "block_strip.hpp"
#include "naming.hpp"
#include "ranked_list.hpp"
#include "text_fit.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace memviz::render {
namespace {

constexpr std::size_t kPinnedRows = 24;
constexpr std::size_t kOtherRows = 12;
constexpr double kRowStep = 40;
constexpr double kTextHeight = 16;
constexpr double kStripHeight = 14;
/// The smallest segment is drawn no narrower, so that something of it can be seen.
constexpr double kLeastWidth = 24;

struct Row {
  const Segment* segment;
  const PinnedSegment* pinned; ///< or null
};

/// Pinned ones first, most held bytes first, then the largest of the others.
std::vector<Row> rows_of(const SegmentPanel& panel) {
  const std::vector<Segment>& segments = panel.snapshot.segments;
  std::vector<bool> is_pinned(segments.size(), false);
  std::vector<Row> rows;
  for (const PinnedSegment& pinned : panel.pins.segments) {
    is_pinned[pinned.segment] = true;
    rows.push_back({&segments[pinned.segment], &pinned});
  }
  const std::size_t first_other = rows.size();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!is_pinned[i] && (!panel.device || *panel.device == segments[i].device))
      rows.push_back({&segments[i], nullptr});
  }
  std::stable_sort(
      rows.begin() + static_cast<std::ptrdiff_t>(first_other), rows.end(),
      [](const Row& left, const Row& right) { return left.segment->total_bytes > right.segment->total_bytes; });
  return rows;
}

std::uint64_t active_bytes(const Snapshot& snapshot, const Segment& segment) {
  std::uint64_t bytes = 0;
  for (const Block& block : snapshot.blocks_of(segment))
    if (block.is_active()) bytes += block.size_bytes;
  return bytes;
}

/// "0x7f0000000000 · 20.0 MiB · GPU 0 · stream 0 · private pool (0, 1) · expandable · 4.2 % in use"
std::string segment_text(const Snapshot& snapshot, const Segment& segment) {
  std::string text =
      fmt::format("{} · {} · {} · stream {}", format_address(segment.address), format_bytes(segment.total_bytes),
                  device_name(segment.device, snapshot.origin.is_cpu), segment.stream);
  if (segment.pool.is_private())
    text += fmt::format(" · private pool ({}, {})", segment.pool.first, segment.pool.second);
  if (segment.is_expandable) text += " · expandable";
  return text + fmt::format(" · {} in use", format_percent(active_bytes(snapshot, segment), segment.total_bytes));
}

/// "train.py:12 step", or "<no stack: ...>"
std::string line_text(const FrameTable& frames, const NodeKey& key) {
  const Label label = key_label(frames, key);
  return label.place.empty() ? label.name : label.name + " " + label.place;
}

/// "3 blocks, 12.0 MiB, pin 2.00 GiB: step train.py:12 and 2 more lines"
std::string pin_text(const FrameTable& frames, const PinnedSegment& pinned) {
  std::string text = fmt::format("{}, {}, {} {}: {}", count_of(pinned.active.blocks, "block"),
                                 format_bytes(pinned.active.bytes), pinned.active.blocks == 1 ? "pins" : "pin",
                                 format_bytes(pinned.held_bytes), line_text(frames, pinned.lines.front().key));
  if (pinned.lines.size() > 1) text += fmt::format(" and {}", count_of(pinned.lines.size() - 1, "more line"));
  return text;
}

std::string block_title(const SegmentPanel& panel, std::uint32_t index) {
  const Block& block = panel.snapshot.blocks[index];
  std::string title =
      fmt::format("{}\n{}, {} requested\n{}", format_address(block.address), format_bytes(block.size_bytes),
                  format_bytes(block.requested_bytes), state_name(block.state));
  const std::span<const FrameId> stack = panel.snapshot.frames.stack(block.stack);
  if (!stack.empty()) title += "\n" + line_text(panel.snapshot.frames, NodeKey::of(stack.front()));
  return title;
}

/// Where one segment is drawn.
struct Place {
  double x = kMargin;
  double y = 0;
  double width = kContentWidth; ///< for its words
  double strip_width = kContentWidth;
};

void draw_row(XmlElement parent, const Place& place, const SegmentPanel& panel, const Row& row) {
  constexpr double kFontSize = 12;
  const std::string left = fit_sans(segment_text(panel.snapshot, *row.segment), place.width, kFontSize);
  add_text(parent, place.x, place.y + 12, "small", left);
  if (row.pinned != nullptr) {
    const double room = place.width - sans_width(left, kFontSize) - 24;
    add_text(parent, place.x + place.width, place.y + 12, "small warning end",
             fit_sans(pin_text(panel.snapshot.frames, *row.pinned), room, kFontSize));
  }
  const BlockStrip strip{place.x, place.y + kTextHeight, place.strip_width, kStripHeight,
                         [&](std::uint32_t block) { return block_title(panel, block); }};
  draw_block_strip(parent, panel.snapshot, *row.segment, strip);
}

/// Pinned and long ones take a line each; short ones stand two in a line.
double draw_rows(XmlElement parent, double y, const SegmentPanel& panel, std::span<const Row> rows,
                 std::uint64_t largest_bytes) {
  constexpr std::size_t kColumns = 2;
  constexpr double kGap = 20;
  constexpr double kColumnWidth = (kContentWidth - (kColumns - 1) * kGap) / kColumns;
  std::size_t column = 0;
  for (const Row& row : rows) {
    Place place{kMargin, y, kContentWidth, kLeastWidth};
    place.strip_width = std::max(kLeastWidth, kContentWidth * (static_cast<double>(row.segment->total_bytes) /
                                                               static_cast<double>(largest_bytes)));
    const bool is_short = row.pinned == nullptr && place.strip_width <= kColumnWidth;
    if (!is_short && column > 0) {
      place.y = y += kRowStep;
      column = 0;
    }
    if (is_short) {
      place.x = kMargin + static_cast<double>(column) * (kColumnWidth + kGap);
      place.width = kColumnWidth;
      column = (column + 1) % kColumns;
    }
    draw_row(parent, place, panel, row);
    if (column == 0) y += kRowStep;
  }
  return column == 0 ? y : y + kRowStep;
}

std::string summary_of(const Pins& pins) {
  if (pins.segments.empty()) return "No segment is less than half in use and still needed.";
  return fmt::format("{} less than half in use: {} of blocks keep {} of free memory from being given back.",
                     pins.segments.size() == 1 ? "1 segment is" : format_count(pins.segments.size()) + " segments are",
                     format_bytes(pins.active.bytes), format_bytes(pins.held_bytes));
}

RankedList pinning_lines(const SegmentPanel& panel) {
  RankedList list;
  list.heading = "What pins free memory, by your own line of code";
  const FrameTable& frames = panel.snapshot.frames;
  for (const PinningLine& line : panel.pins.lines) {
    if (list.rows.size() == kRankedRows) break;
    list.rows.push_back({format_bytes(line.held_bytes), line.held_bytes, "", key_label(frames, line.key),
                         fmt::format("with {}, {} in {}", count_of(line.active.blocks, "block"),
                                     format_bytes(line.active.bytes), count_of(line.segments, "segment")),
                         fmt::format("{}\nholds {} bytes of free memory, {} of them alone",
                                     key_heading(frames, panel.origins, line.key), format_count(line.held_bytes),
                                     format_count(line.alone_bytes)),
                         &key_paint(panel.origins, line.key)});
  }
  if (panel.pins.lines.size() > list.rows.size())
    list.rest = "and " + count_of(panel.pins.lines.size() - list.rows.size(), "more line");
  return list;
}

/// Heading, the first `shown` rows, and what is left out; returns the height below.
double draw_strips(Page& page, double y, const SegmentPanel& panel, std::span<const Row> rows, std::size_t shown) {
  XmlElement parent = page.below_graph();
  add_rule(parent, y);
  add_text(parent, kMargin, y + 28, "section", "Segments, with their blocks in address order");
  add_text(parent, kMargin + kContentWidth, y + 28, "muted end", summary_of(panel.pins));
  y += 42;
  std::uint64_t largest_bytes = 1;
  for (const Row& row : rows)
    largest_bytes = std::max(largest_bytes, row.segment->total_bytes);
  y = draw_rows(parent, y, panel, rows.first(shown), largest_bytes);
  if (shown == rows.size()) return y;
  const auto sum = [](std::uint64_t bytes, const Row& row) { return bytes + row.segment->total_bytes; };
  const std::uint64_t rest_bytes =
      std::accumulate(rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(), std::uint64_t{0}, sum);
  add_text(
      parent, kMargin, y + 12, "small muted",
      fmt::format("and {} with {} together", count_of(rows.size() - shown, "more segment"), format_bytes(rest_bytes)));
  return y + 22;
}

} // namespace

double draw_segment_panel(Page& page, double y, const SegmentPanel& panel) {
  const std::vector<Row> rows = rows_of(panel);
  if (rows.empty()) return y;
  if (!panel.pins.lines.empty()) {
    add_rule(page.below_graph(), y);
    y = draw_ranked_list(page, y + 14, pinning_lines(panel)) + 4;
  }
  const std::size_t shown = std::min(std::min(kPinnedRows, panel.pins.segments.size()) + kOtherRows, rows.size());
  return draw_strips(page, y, panel, rows, shown);
}

double draw_all_segments(Page& page, double y, const SegmentPanel& panel, std::size_t most_rows) {
  std::vector<Row> rows = rows_of(panel);
  if (rows.empty()) return y;
  const auto home = [](const Row& row) {
    return std::tuple(row.segment->device, row.segment->pool, row.segment->stream);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& left, const Row& right) {
    if (home(left) != home(right)) return home(left) < home(right);
    return left.segment->total_bytes > right.segment->total_bytes;
  });
  return draw_strips(page, y, panel, rows, std::min(most_rows, rows.size()));
}

} // namespace memviz::render
