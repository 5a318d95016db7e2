#include "segments/segment_rows.hpp"

#include "page/naming.hpp"
#include "page/text_fit.hpp"
#include "segments/block_strip.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

namespace memviz::render {
namespace {

constexpr double kTextHeight = 16;
constexpr double kStripHeight = 14;
constexpr double kRowStep = 40;
constexpr double kRowFontSize = 12;
/// The smallest segment is drawn no narrower, so that something of it can be seen.
constexpr double kLeastRowWidth = 24;
/// Strips up to this width stand beside their words, two in a line where nothing is pinned.
constexpr double kShortStrip = 96;
constexpr double kShortStep = 22;
constexpr std::size_t kShortColumns = 2;
constexpr double kColumnGap = 20;

std::uint64_t active_bytes(const MemoryState& state, const Segment& segment) {
  std::uint64_t bytes = 0;
  for (const Block& block : state.blocks_of(segment))
    if (block.is_active()) bytes += block.size_bytes;
  return bytes;
}

/// "0x7f0000000000 · 20.0 MiB", or "24 of 20.0 MiB, 480 MiB together, the first 0x7f0000000000"
std::string size_text(const SegmentRow& row) {
  const std::string address = format_address(row.segment->address);
  const std::string size = format_bytes(row.segment->total_bytes);
  if (row.count == 1) return fmt::format("{} · {}", address, size);
  return fmt::format("{} segments of {}, {} together, the first {}", format_count(row.count), size,
                     format_bytes(bytes_of(row)), address);
}

/// "0x7f0000000000 · 20.0 MiB · GPU 0 · stream 0 · private pool (0, 1) · expandable · 4.2 % in use"
std::string segment_text(const MemoryState& state, const SegmentRow& row) {
  const Segment& segment = *row.segment;
  std::string text = fmt::format("{} · {} · stream {}", size_text(row),
                                 device_name(segment.device, state.recording->origin.is_cpu), segment.stream);
  if (segment.pool.is_private())
    text += fmt::format(" · private pool ({}, {})", segment.pool.first, segment.pool.second);
  if (segment.is_expandable) text += " · expandable";
  return text + fmt::format(" · {} in use", format_percent(active_bytes(state, segment), segment.total_bytes));
}

/// "train.py:12 step", or "<no stack: ...>"
std::string line_text(const FrameTable& frames, const NodeKey& key) {
  const Label label = key_label(frames, key);
  return label.place.empty() ? label.name : label.name + " " + label.place;
}

/// "3 blocks, 12.0 MiB, pin 2.00 GiB: step train.py:12 and 2 more lines"; of several segments, in each of them.
std::string pin_text(const FrameTable& frames, const SegmentRow& row) {
  const PinnedSegment& pinned = *row.pinned;
  std::string text = fmt::format("{}, {}, {} {}{}: {}", format_counted(pinned.active.blocks, "block"),
                                 format_bytes(pinned.active.bytes), pinned.active.blocks == 1 ? "pins" : "pin",
                                 format_bytes(pinned.held_bytes), row.count > 1 ? " in each" : "",
                                 line_text(frames, pinned.lines.front().key));
  if (pinned.lines.size() > 1) text += fmt::format(" and {}", format_counted(pinned.lines.size() - 1, "more line"));
  return text;
}

std::string block_title(const SegmentPanel& panel, std::uint32_t index) {
  const Block& block = panel.state.blocks[index];
  std::string title =
      fmt::format("{}\n{}, {} requested\n{}", format_address(block.address), format_bytes(block.size_bytes),
                  format_bytes(block.requested_bytes), state_name(block.state));
  const std::uint32_t line = panel.details.lines.of_block[index];
  if (line != kNoLine) title += "\n" + line_text(panel.state.frames(), panel.details.lines.lines[line].key);
  const std::optional<BlockBirth>& birth = panel.state.facts[index].birth;
  if (!birth) return title;
  for (const StringId annotation : birth->annotations)
    title += "\nannotated: " + annotation_text(panel.state.frames().text(annotation));
  return title;
}

/// What segments of one row have in common: place and size, then how they are used and pinned.
struct Kind {
  DeviceId device;
  PoolId pool;
  std::int64_t stream;
  std::uint64_t bytes;
  bool is_expandable;
  std::uint64_t active_bytes;
  std::uint64_t blocks; ///< that pin it, as the rest
  std::uint64_t held_bytes;
  std::size_t lines;
  NodeKey line;
  friend auto operator<=>(const Kind&, const Kind&) = default;
};

/// Nothing for a segment that is partly in use and not pinned: its strip is its own.
std::optional<Kind> kind_of(const SegmentRow& row, const MemoryState& state) {
  const Segment& segment = *row.segment;
  const std::uint64_t active = active_bytes(state, segment);
  Kind kind{
      segment.device, segment.pool, segment.stream, segment.total_bytes, segment.is_expandable, active, 0, 0, 0, {}};
  if (row.pinned == nullptr) return active == 0 || active == segment.total_bytes ? std::optional(kind) : std::nullopt;
  kind.blocks = row.pinned->active.blocks;
  kind.held_bytes = row.pinned->held_bytes;
  kind.lines = row.pinned->lines.size();
  kind.line = row.pinned->lines.front().key;
  return kind;
}

/// Where one segment is drawn: its words, and its strip.
struct Place {
  double x = kMargin;
  double y = 0;
  double width = kContentWidth;
  double text_x = kMargin;
  double strip_y = 0;
  double strip_width = kContentWidth;
};

void draw_row(XmlElement parent, const Place& place, const SegmentPanel& panel, const SegmentRow& row) {
  const double room = place.x + place.width - place.text_x;
  const auto fitted = [](const std::string& text, double width) {
    return fit_sans(text, width, kRowFontSize, Font::regular);
  };
  // What pins goes before what a segment is called.
  const std::string pins = row.pinned == nullptr ? "" : fitted(pin_text(panel.state.frames(), row), room * 0.5);
  const double pins_width = pins.empty() ? 0 : sans_width(pins, kRowFontSize, Font::regular) + 16;
  add_text(parent, place.text_x, place.y + 12, "small", fitted(segment_text(panel.state, row), room - pins_width));
  if (!pins.empty()) add_text(parent, place.x + place.width, place.y + 12, "small warning end", pins);
  const BlockStrip strip{place.x, place.strip_y, place.strip_width, kStripHeight,
                         [&](std::uint32_t block) { return block_title(panel, block); }};
  draw_block_strip(parent, panel.state, *row.segment, strip);
}

/// Places rows one after the other: long ones in two lines, words above the strip; short ones in one.
class RowPlacer {
public:
  explicit RowPlacer(double y) : y_(y) {}

  [[nodiscard]] Place next(const SegmentRow& row, double strip_width) {
    if (strip_width > kShortStrip || row.count > 1) {
      end_line();
      const Place place{.y = y_, .strip_y = y_ + kTextHeight, .strip_width = strip_width};
      y_ += kRowStep;
      return place;
    }
    const bool takes_a_line = row.pinned != nullptr;
    if (takes_a_line) end_line();
    constexpr double kColumnWidth = (kContentWidth - (kShortColumns - 1) * kColumnGap) / kShortColumns;
    const double x = kMargin + static_cast<double>(column_) * (kColumnWidth + kColumnGap);
    const Place place{.x = x,
                      .y = y_,
                      .width = takes_a_line ? kContentWidth : kColumnWidth,
                      .text_x = x + kShortStrip + 10,
                      .strip_y = y_ + 1,
                      .strip_width = strip_width};
    ++column_;
    if (takes_a_line || column_ == kShortColumns) end_line();
    return place;
  }

  /// The height below what was placed.
  [[nodiscard]] double end() {
    end_line();
    return y_;
  }

private:
  void end_line() {
    if (column_ > 0) y_ += kShortStep;
    column_ = 0;
  }

  double y_;
  std::size_t column_ = 0; ///< of short rows in the line that is not ended
};

} // namespace

std::uint64_t bytes_of(const SegmentRow& row) {
  return row.count * row.segment->total_bytes;
}

std::vector<SegmentRow> rows_of(const SegmentPanel& panel) {
  const std::vector<Segment>& segments = panel.state.segments;
  std::vector<bool> is_pinned(segments.size(), false);
  std::vector<SegmentRow> rows;
  for (const PinnedSegment& pinned : panel.details.pins.segments) {
    is_pinned[pinned.segment] = true;
    rows.push_back({&segments[pinned.segment], &pinned});
  }
  const std::size_t first_other = rows.size();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!is_pinned[i] && (!panel.device || *panel.device == segments[i].device))
      rows.push_back({&segments[i], nullptr});
  }
  std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first_other), rows.end(),
                   [](const SegmentRow& left, const SegmentRow& right) {
                     return left.segment->total_bytes > right.segment->total_bytes;
                   });
  return rows;
}

std::uint64_t held_bytes(const SegmentRow& row) {
  return row.pinned == nullptr ? 0 : row.count * row.pinned->held_bytes;
}

std::vector<SegmentRow> merged_alike(const std::vector<SegmentRow>& rows, const MemoryState& state) {
  std::map<Kind, std::size_t> places;
  std::vector<SegmentRow> merged;
  for (const SegmentRow& row : rows) {
    if (const std::optional<Kind> kind = kind_of(row, state)) {
      const auto [place, is_new] = places.try_emplace(*kind, merged.size());
      if (!is_new) {
        ++merged[place->second].count;
        continue;
      }
    }
    merged.push_back(row);
  }
  const auto weight = [](const SegmentRow& row) {
    return std::tuple(row.pinned != nullptr, held_bytes(row), bytes_of(row));
  };
  std::stable_sort(merged.begin(), merged.end(),
                   [&](const SegmentRow& left, const SegmentRow& right) { return weight(left) > weight(right); });
  return merged;
}

double draw_rows(XmlElement parent, double y, const SegmentPanel& panel, std::span<const SegmentRow> rows,
                 std::uint64_t largest_bytes) {
  RowPlacer placer(y);
  for (const SegmentRow& row : rows) {
    const double share = static_cast<double>(row.segment->total_bytes) / static_cast<double>(largest_bytes);
    const double strip_width = std::max(kLeastRowWidth, kContentWidth * share);
    draw_row(parent, placer.next(row, strip_width), panel, row);
  }
  return placer.end();
}

} // namespace memviz::render
