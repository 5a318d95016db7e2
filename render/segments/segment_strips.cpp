#include "segments/segment_strips.hpp"

#include "page/header.hpp"
#include "page/notes.hpp"
#include "page/palette.hpp"

#include "base/json_writer.hpp"
#include "memviz/format.hpp"
#include "story/picture_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <tuple>

namespace memviz::render {
namespace {

constexpr double kNameWidth = 64;
constexpr double kPieceHeight = 16;
constexpr double kStripStep = 22;
constexpr double kListStep = 16;
constexpr std::size_t kListColumns = 4;
constexpr double kSizeEnd = 180; // from the left edge of a column
constexpr double kItemGap = 20;
constexpr std::size_t kListed = 12;
/// Neighbours narrower than this, in pixels, are drawn as one.
constexpr double kNarrowPiece = 1.5;

enum class Side : std::uint8_t { before, after, both };

struct Placed {
  SegmentRef segment;
  Side side;
};

std::vector<Placed> in_address_order(const Comparison& comparison) {
  std::vector<Placed> placed;
  for (const SegmentRef& segment : comparison.only_before)
    placed.push_back({segment, Side::before});
  for (const SegmentRef& segment : comparison.only_after)
    placed.push_back({segment, Side::after});
  for (const SegmentRef& segment : comparison.in_both)
    placed.push_back({segment, Side::both});
  std::ranges::sort(placed, [](const Placed& left, const Placed& right) {
    return std::tie(left.segment.device, left.segment.address, left.segment.total_bytes, left.side) <
           std::tie(right.segment.device, right.segment.address, right.segment.total_bytes, right.side);
  });
  return placed;
}

std::string_view side_text(Side side) {
  if (side == Side::both) return "in both files";
  return side == Side::before ? "only before" : "only after";
}

const Paint& side_paint(Side side) {
  if (side == Side::both) return paint::kSame;
  return side == Side::before ? paint::kRemoved : paint::kAdded;
}

/// Consecutive segments of one side that are drawn as one rectangle.
struct Piece {
  std::size_t first = 0;
  std::size_t count = 0;
  double x = 0;
  double width = 0;
};

std::vector<Piece> pieces_of(const std::vector<Placed>& placed, double pixels_per_byte) {
  std::vector<Piece> pieces;
  double x = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const double width = static_cast<double>(placed[i].segment.total_bytes) * pixels_per_byte;
    const bool joins = !pieces.empty() && pieces.back().width < kNarrowPiece && width < kNarrowPiece &&
                       placed[i - 1].side == placed[i].side;
    if (!joins) pieces.push_back({i, 0, x, 0});
    ++pieces.back().count;
    pieces.back().width += width;
    x += width;
  }
  return pieces;
}

std::string piece_title(const std::vector<Placed>& placed, const Piece& piece) {
  const Placed& first = placed[piece.first];
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < piece.count; ++i)
    bytes += placed[piece.first + i].segment.total_bytes;
  const std::string_view side = side_text(first.side);
  if (piece.count > 1)
    return fmt::format("{} from {}, {}\n{}", format_counted(piece.count, "segment"),
                       format_address(first.segment.address), side, format_bytes(bytes));
  return fmt::format("segment {}, {}\n{} ({} bytes)\ndevice {}, stream {}", format_address(first.segment.address), side,
                     format_bytes(bytes), format_count(bytes), device_word(first.segment.device), first.segment.stream);
}

void draw_strip(XmlElement section, double y, Side strip, const std::vector<Placed>& placed, double pixels_per_byte) {
  XmlElement group = section.child("g");
  add_text(group, kMargin, y + 12, "small", strip == Side::before ? "before" : "after").set("data-part", "name");
  for (const Piece& piece : pieces_of(placed, pixels_per_byte)) {
    const Side side = placed[piece.first].side;
    if (side != strip && side != Side::both) continue;
    XmlElement drawn = add_group(group, side_paint(side).name);
    const double width = piece.width > 3 ? piece.width - 1 : piece.width;
    add_rect(drawn, kMargin + kNameWidth + piece.x, y, width, kPieceHeight);
    drawn.child("title").text(piece_title(placed, piece));
  }
}

/// Returns the segments that only one side has.
struct SideList {
  std::string_view name;
  const Paint& paint;
  const std::vector<SegmentRef>& segments;
};

double draw_list_heading(Page& page, double y, const SideList& list) {
  XmlElement section = page.add_section(y, "items").set("data-line", kListStep).set("data-gap", kItemGap);
  section.set("data-height", kListStep);
  XmlElement item = section.child("g").set("data-x", kMargin).set("data-y", y);
  add_rect(add_group(item, list.paint.name), kMargin, y + 3, 11, 11).set("rx", 2).set("class", "swatch");
  add_text(item, kMargin + 18, y + 13, "strong",
           fmt::format("{}: {}, {}", list.name, format_counted(list.segments.size(), "segment"),
                       format_bytes(bytes_of(list.segments))));
  return y + 20;
}

/// Draws the first dozen, as many side by side as fit.
double draw_addresses(Page& page, double y, std::span<const SegmentRef> segments) {
  if (segments.empty()) return y;
  const std::size_t rows = (segments.size() + kListColumns - 1) / kListColumns;
  XmlElement section = page.add_section(y, "items").set("data-spread", "1").set("data-line", kListStep);
  section.set("data-gap", kItemGap).set("data-height", static_cast<double>(rows) * kListStep);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double x = kMargin + static_cast<double>(i % kListColumns) * (kContentWidth / kListColumns);
    const std::size_t row = i / kListColumns;
    const double top = y + static_cast<double>(row) * kListStep;
    XmlElement item = section.child("g").set("data-x", x).set("data-y", top);
    add_text(item, x, top + 13, "mono-small", format_address(segments[i].address));
    add_text(item, x + kSizeEnd, top + 13, "mono-small muted end", format_bytes(segments[i].total_bytes));
  }
  return y + static_cast<double>(rows) * kListStep;
}

double draw_list(Page& page, double y, const SideList& list) {
  y = draw_list_heading(page, y, list);
  const std::span<const SegmentRef> segments = list.segments;
  const std::size_t shown = std::min(kListed, segments.size());
  y = draw_addresses(page, y, segments.first(shown));
  if (shown == segments.size()) return y + 8;
  return draw_notes(
             page, y,
             {fmt::format("and {} more, {}; all of them are in this file's metadata",
                          format_count(segments.size() - shown), format_bytes(bytes_of(segments.subspan(shown))))}) +
         4;
}

void write_list(JsonWriter& json, std::string_view name, const std::vector<SegmentRef>& segments) {
  json.key(name).begin_array();
  for (const SegmentRef& segment : segments) {
    json.begin_object().member("address", format_address(segment.address)).member("bytes", segment.total_bytes);
    json.key("device");
    if (is_host(segment.device))
      json.value(device_word(segment.device));
    else
      json.value(segment.device.value);
    json.member("stream", segment.stream).end_object();
  }
  json.end_array();
}

/// Writes the lists for programs, in the picture's metadata.
std::string lists_json(const Comparison& comparison) {
  std::string text;
  JsonWriter json(text, JsonLayout::compact, JsonEscapes::markup);
  json.begin_object();
  write_list(json, "only_before", comparison.only_before);
  write_list(json, "only_after", comparison.only_after);
  json.end_object();
  return text;
}

} // namespace

double draw_segments(Page& page, double y, const Comparison& comparison) {
  if (comparison.has_two_processes())
    return draw_notes(page, draw_heading(page, y, "Segments"), {segments_text(comparison)});
  y = draw_heading(page, y, "Segments, in address order", segments_text(comparison));
  const std::vector<Placed> placed = in_address_order(comparison);
  const std::uint64_t bytes =
      bytes_of(comparison.only_before) + bytes_of(comparison.only_after) + bytes_of(comparison.in_both);
  if (bytes == 0) return y;
  const double pixels_per_byte = (kContentWidth - kNameWidth) / static_cast<double>(bytes);
  XmlElement section = page.add_section(y, "bars").set("data-left", kMargin + kNameWidth);
  section.set("data-span", kContentWidth - kNameWidth);
  draw_strip(section, y, Side::before, placed, pixels_per_byte);
  draw_strip(section, y + kStripStep, Side::after, placed, pixels_per_byte);
  y += 2 * kStripStep + 8;
  y = draw_list(page, y, {"Only before", paint::kRemoved, comparison.only_before});
  return draw_list(page, y, {"Only after", paint::kAdded, comparison.only_after});
}

void write_segment_metadata(Page& page, const Comparison& comparison) {
  page.svg().child("metadata").set("id", "segments").text(lists_json(comparison));
}

} // namespace memviz::render
