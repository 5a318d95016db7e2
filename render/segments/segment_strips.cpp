#include "segments/segment_strips.hpp"

#include "page/naming.hpp"
#include "page/palette.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <span>
#include <tuple>

namespace memviz::render {
namespace {

constexpr double kNameWidth = 64;
constexpr double kStripHeight = 16;
constexpr double kStripStep = 22;
constexpr double kListStep = 16;
constexpr double kListColumn = 260;
constexpr double kSizeEnd = 210; // from the left edge of a column
constexpr std::size_t kListed = 12;
/// Neighbours narrower than this, in pixels, are drawn as one.
constexpr double kNarrow = 1.5;

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
  std::sort(placed.begin(), placed.end(), [](const Placed& left, const Placed& right) {
    return std::tie(left.segment.device, left.segment.address, left.segment.total_bytes, left.side) <
           std::tie(right.segment.device, right.segment.address, right.segment.total_bytes, right.side);
  });
  return placed;
}

std::uint64_t bytes_of(std::span<const SegmentRef> segments) {
  std::uint64_t bytes = 0;
  for (const SegmentRef& segment : segments)
    bytes += segment.total_bytes;
  return bytes;
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
    const bool joins =
        !pieces.empty() && pieces.back().width < kNarrow && width < kNarrow && placed[i - 1].side == placed[i].side;
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
    return fmt::format("{} from {}, {}\n{}", count_of(piece.count, "segment"), format_address(first.segment.address),
                       side, format_bytes(bytes));
  return fmt::format("segment {}, {}\n{} ({} bytes)\ndevice {}, stream {}", format_address(first.segment.address), side,
                     format_bytes(bytes), format_count(bytes), first.segment.device, first.segment.stream);
}

void draw_strip(XmlElement parent, double y, Side strip, const std::vector<Placed>& placed, double pixels_per_byte) {
  add_text(parent, kMargin, y + 12, "small", strip == Side::before ? "before" : "after");
  for (const Piece& piece : pieces_of(placed, pixels_per_byte)) {
    const Side side = placed[piece.first].side;
    if (side != strip && side != Side::both) continue;
    XmlElement group = add_group(parent, side_paint(side).name);
    const double width = piece.width > 3 ? piece.width - 1 : piece.width;
    add_rect(group, kMargin + kNameWidth + piece.x, y, width, kStripHeight);
    group.child("title").text(piece_title(placed, piece));
  }
}

/// The segments that one side has alone.
struct SideList {
  std::string_view name;
  const Paint& paint;
  const std::vector<SegmentRef>& segments;
};

void draw_list_heading(XmlElement parent, double x, double y, const SideList& list) {
  add_rect(add_group(parent, list.paint.name), x, y + 3, 11, 11).set("rx", 2);
  add_text(parent, x + 18, y + 13, "strong",
           fmt::format("{}: {}, {}", list.name, count_of(list.segments.size(), "segment"),
                       format_bytes(bytes_of(list.segments))));
}

/// The first dozen in two columns.
double draw_list(XmlElement parent, double x, double y, const SideList& list) {
  draw_list_heading(parent, x, y, list);
  y += 20;
  const std::span<const SegmentRef> segments = list.segments;
  const std::size_t shown = std::min(kListed, segments.size());
  const std::size_t rows = (shown + 1) / 2;
  for (std::size_t i = 0; i < shown; ++i) {
    const double column = x + 18 + (i < rows ? 0 : kListColumn);
    const double baseline = y + 13 + static_cast<double>(i % rows) * kListStep;
    add_text(parent, column, baseline, "mono-small", format_address(segments[i].address));
    add_text(parent, column + kSizeEnd, baseline, "mono-small muted end", format_bytes(segments[i].total_bytes));
  }
  y += static_cast<double>(rows) * kListStep;
  if (shown == segments.size()) return y;
  add_text(parent, x + 18, y + 13, "small muted",
           fmt::format("and {} more, {}; all of them are in this file's metadata",
                       format_count(segments.size() - shown), format_bytes(bytes_of(segments.subspan(shown)))));
  return y + kListStep;
}

std::string json_list(const std::vector<SegmentRef>& segments) {
  std::string json = "[";
  for (const SegmentRef& segment : segments)
    fmt::format_to(std::back_inserter(json), R"({}{{"address":"{}","bytes":{},"device":{},"stream":{}}})",
                   json.size() > 1 ? "," : "", format_address(segment.address), segment.total_bytes, segment.device,
                   segment.stream);
  return json + "]";
}

/// Segments of one side alone whose address the other has with another size: expandable ones that grew or shrank.
std::size_t resized_segments(const Comparison& comparison) {
  const auto home = [](const SegmentRef& segment) { return std::tuple(segment.device, segment.address); };
  std::set<std::tuple<std::uint32_t, std::uint64_t>> before;
  for (const SegmentRef& segment : comparison.only_before)
    before.insert(home(segment));
  return static_cast<std::size_t>(
      std::count_if(comparison.only_after.begin(), comparison.only_after.end(),
                    [&](const SegmentRef& segment) { return before.contains(home(segment)); }));
}

std::string comment_on(const Comparison& comparison) {
  const bool has_before = !comparison.only_before.empty();
  const bool has_after = !comparison.only_after.empty();
  if (const std::size_t resized = resized_segments(comparison); resized > 0)
    return fmt::format("{} in both files; {} more at the same address, but of another size.",
                       count_of(comparison.in_both.size(), "segment"), format_count(resized));
  if (comparison.in_both.empty() && has_before && has_after)
    return "No segment is in both files. Addresses of two processes cannot match: compare the stacks above instead.";
  if (!has_before && !has_after) return "Both files have the same segments.";
  if (comparison.in_both.empty()) return fmt::format("All of them are only {}.", has_before ? "before" : "after");
  return fmt::format("{} in both files, by address and size.", count_of(comparison.in_both.size(), "segment"));
}

} // namespace

double draw_segments(Page& page, double y, const Comparison& comparison) {
  XmlElement parent = page.below_graph();
  add_text(parent, kMargin, y + 16, "section", "Segments, in address order");
  add_text(parent, kMargin + kContentWidth, y + 16, "muted end", comment_on(comparison));
  y += 28;
  const std::vector<Placed> placed = in_address_order(comparison);
  const std::uint64_t bytes =
      bytes_of(comparison.only_before) + bytes_of(comparison.only_after) + bytes_of(comparison.in_both);
  if (bytes == 0) return y;
  const double pixels_per_byte = (kContentWidth - kNameWidth) / static_cast<double>(bytes);
  draw_strip(parent, y, Side::before, placed, pixels_per_byte);
  draw_strip(parent, y + kStripStep, Side::after, placed, pixels_per_byte);
  y += 2 * kStripStep + 8;
  const double before_end = draw_list(parent, kMargin, y, {"Only before", paint::kRemoved, comparison.only_before});
  const double after_end =
      draw_list(parent, kPageWidth / 2 + 14, y, {"Only after", paint::kAdded, comparison.only_after});
  return std::max(before_end, after_end) + 8;
}

void write_segment_metadata(Page& page, const Comparison& comparison) {
  page.svg()
      .child("metadata")
      .set("id", "segments")
      .text(fmt::format(R"({{"only_before":{},"only_after":{}}})", json_list(comparison.only_before),
                        json_list(comparison.only_after)));
}

} // namespace memviz::render
