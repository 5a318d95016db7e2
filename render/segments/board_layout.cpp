#include "segments/board_layout.hpp"

#include "page/bars.hpp"
#include "page/notes.hpp"
#include "page/text_fit.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace memviz::render {
namespace {

// web/state/layout.js places strips by the same rules; a test in a browser compares the two.
constexpr double kFontSize = 12;
constexpr double kCaptionHeight = 18; ///< from the top of a band to its strips
constexpr double kLineStep = kStripHeight + 3;
constexpr double kBandStep = 9; ///< between bands
constexpr double kBandGap = 18; ///< between bands on one line
constexpr double kCellGap = 3;
constexpr double kPlaceHeading = 24;
constexpr double kCommentStep = 17;
constexpr double kCaptionStep = 16;
constexpr double kPlaceIndent = 12;
/// The maximum number of lines of all strips together, and the minimum, if they have enough blocks to show.
constexpr double kMostLines = 44;
constexpr double kFewestLines = 16;
constexpr double kPiecesPerLine = 12;
/// All strips are made smaller by at most this, so that a whole number of the largest fills a line.
constexpr double kLeastFitted = 2.0 / 3;
/// The minimum width of a segment, and of each of its pieces; the larger scale that this requires may not make a band
/// longer than this many lines.
constexpr double kLeastWidth = 12;
constexpr double kPieceWidth = 1.5;
constexpr double kMagnifiedLines = 5;

double width_of_text(std::string_view text) {
  return sans_width(text, kFontSize);
}

double bytes_in(const MemoryState& state, const Cell& cell) {
  return static_cast<double>(state.segments[cell.segment].total_bytes);
}

/// Returns the bytes of all segments of a cell, which are drawn as one strip as long as all of them together.
double bytes_of_all(const MemoryState& state, const Cell& cell) {
  return bytes_in(state, cell) * static_cast<double>(cell.count);
}

std::string count_text(const Cell& cell) {
  return cell.count == 1 ? "" : fmt::format("×{}", format_count(cell.count));
}

double width_of_count(const Cell& cell) {
  return cell.count == 1 ? 0 : width_of_text(count_text(cell)) + 6;
}

/// Returns the scale for all, in pixels per byte.
double scale_of(const MemoryState& state, const Board& board, double width) {
  double total = 0;
  double largest = 1;
  double pieces = 0;
  double count_width = 0;
  for (const BoardPlace& place : board.places) {
    if (place.is_closed) continue;
    for (const BoardBand& band : place.bands)
      for (const Cell& cell : band.cells) {
        total += bytes_of_all(state, cell);
        largest = std::max(largest, bytes_in(state, cell));
        pieces += static_cast<double>(cell.pieces.size());
        count_width = std::max(count_width, width_of_count(cell));
      }
  }
  if (total == 0) return 0;
  const double line = width - kPlaceIndent - count_width;
  const double fewest = std::clamp(pieces / kPiecesPerLine, 1.0, kFewestLines);
  const double scale = std::clamp(total / largest, fewest, kMostLines) * line / total;
  const double strips = std::ceil(line / (largest * scale) - 0.001);
  const double fitted = ((line + kCellGap) / strips - kCellGap) / largest;
  return fitted > scale * kLeastFitted ? std::min(scale, fitted) : scale;
}

/// Returns by which factor a band is drawn larger than the common scale, as a power of two.
double magnification_of(const MemoryState& state, const BoardBand& band, double scale, double width) {
  double bytes = 0;
  double largest = 1;
  double least = kLeastWidth;
  for (const Cell& cell : band.cells) {
    bytes += bytes_of_all(state, cell);
    largest = std::max(largest, bytes_of_all(state, cell));
    least = std::max(least, kPieceWidth * static_cast<double>(cell.pieces.size()));
  }
  double times = 1;
  while (largest * scale * times < least && largest * scale * times * 2 <= width &&
         (times == 1 || bytes * scale * times * 2 <= kMagnifiedLines * width) && largest * scale > 0)
    times *= 2;
  return times;
}

class Layouter {
public:
  Layouter(const MemoryState& state, const Board& board, double width)
      : state_(state), board_(board), width_(width), scale_(scale_of(state, board, width)) {}

  [[nodiscard]] BoardLayout run() {
    for (const BoardPlace& place : board_.places)
      add_place(place);
    layout_.height = y_;
    layout_.bytes_per_pixel = scale_ > 0 ? 1 / scale_ : 0;
    return std::move(layout_);
  }

private:
  void add_place(const BoardPlace& place) {
    const Paint* const paint = place_paint(place);
    const double top = y_;
    left_ = x_ = paint != nullptr ? kPlaceIndent : 0;
    if (board_.places.size() > 1 || paint != nullptr) add_heading(heading_of(place), place_text(place));
    if (place.is_closed) return;
    for (const BoardBand& band : place.bands)
      add_band(band);
    end_line();
    if (paint != nullptr) layout_.marks.push_back({top, y_ - top - kBandStep / 2, paint});
  }

  /// A click opens a closed place.
  [[nodiscard]] std::string heading_of(const BoardPlace& place) const {
    return (place.is_closed ? "▸ " : "") + place_name(state_, place);
  }

  /// The comment is next to the name, or below it if there is no room.
  void add_heading(const std::string& name, const std::string& comment) {
    layout_.texts.push_back({left_, y_ + 15, name, "strong"});
    const double end = left_ + width_of_text(name) * 1.15 + 12;
    if (end + width_of_text(comment) <= width_) {
      layout_.texts.push_back({end, y_ + 15, comment, "muted"});
    } else {
      for (std::string& line : wrap(comment, width_ - left_, kFontSize)) {
        layout_.texts.push_back({left_, y_ + kPlaceHeading + 8, std::move(line), "muted"});
        y_ += kCommentStep;
      }
    }
    y_ += kPlaceHeading;
  }

  void add_band(const BoardBand& band) {
    const double times = magnification_of(state_, band, scale_, width_ - left_);
    std::string caption = band_text(state_, band);
    if (times > 1) caption += fmt::format(" · drawn {:.0f}× wider", times);
    double strips = -kCellGap;
    for (const Cell& cell : band.cells)
      strips += drawn_width(cell, times) + width_of_count(cell) + kCellGap;
    const double needed = std::max(strips, width_of_text(caption));
    const bool fits_here = x_ > left_ && x_ + kBandGap + needed <= width_;
    if (fits_here)
      x_ += kBandGap;
    else
      end_line();
    const double begin = x_;
    double baseline = y_ + 12;
    const std::vector<std::string> lines = wrap(caption, width_ - begin, kFontSize);
    for (const std::string& line : lines) {
      layout_.texts.push_back({begin, baseline, line, "small"});
      baseline += kCaptionStep;
    }
    const double first_y = y_ + kCaptionHeight + kCaptionStep * static_cast<double>(lines.size() - 1);
    line_y_ = first_y;
    for (const Cell& cell : band.cells)
      add_cell(cell, times);
    x_ = std::max(x_ - kCellGap, begin + width_of_text(caption));
    if (line_y_ > first_y || lines.size() > 1) end_line();
  }

  [[nodiscard]] double drawn_width(const Cell& cell, double times) const {
    return std::max(1.0, bytes_of_all(state_, cell) * scale_ * times);
  }

  /// Continues in the next line if it is longer than what is left of this one.
  void add_cell(const Cell& cell, double times) {
    const double width = drawn_width(cell, times);
    const double whole = width + width_of_count(cell);
    if (x_ > left_ && x_ + whole > width_ + 0.01) next_line();
    const std::uint64_t bytes = state_.segments[cell.segment].total_bytes;
    const double pixels_per_byte = width / static_cast<double>(std::max<std::uint64_t>(bytes, 1));
    // Splits a strip that needs several lines into parts of equal length.
    const double most = width_ - width_of_count(cell) - x_;
    const double part = width / std::ceil(width / most - 0.001);
    std::uint64_t begin = 0;
    for (double left = width; left > 0.01;) {
      if (begin > 0) next_line();
      const double room = std::min(left, part);
      left -= room;
      const std::uint64_t end =
          left > 0.01 ? std::min(bytes, begin + static_cast<std::uint64_t>(std::llround(room / pixels_per_byte)))
                      : bytes;
      layout_.strips.push_back({&cell, x_, line_y_, room, begin, end});
      begin = std::max(end, begin + 1);
      x_ += room;
    }
    if (cell.count > 1) layout_.texts.push_back({x_ + 3, line_y_ + 13, count_text(cell), "small muted"});
    x_ += width_of_count(cell) + kCellGap;
  }

  void next_line() {
    line_y_ += kLineStep;
    x_ = left_;
  }

  void end_line() {
    if (x_ > left_) y_ = line_y_ + kStripHeight + kBandStep;
    x_ = left_;
  }

  const MemoryState& state_;
  const Board& board_;
  double width_;
  double scale_;
  BoardLayout layout_;
  double left_ = 0;
  double x_ = 0;
  double y_ = 0;      ///< top of the bands on this line
  double line_y_ = 0; ///< of the strips placed so far
};

/// " · 753 MiB pinned by store cache.py:55 and others"; "" if nothing is pinned.
std::string pinned_text(const FrameTable& frames, const BoardBand& band) {
  constexpr std::size_t kMostColumns = 60;
  std::uint64_t held_bytes = 0;
  const Cell* most = nullptr;
  for (const Cell& cell : band.cells) {
    held_bytes += cell.held_bytes;
    if (cell.pinned != nullptr && (most == nullptr || cell.held_bytes > most->held_bytes)) most = &cell;
  }
  if (most == nullptr) return "";
  const NodeKey& line = most->pinned->lines.front().key;
  const bool has_others = std::ranges::any_of(band.cells, [&](const Cell& cell) {
    return cell.pinned != nullptr && (cell.pinned->lines.size() > 1 || cell.pinned->lines.front().key != line);
  });
  const Label label = key_label(frames, line);
  const std::string name = label.place.empty() ? label.name : label.name + " " + label.place;
  return fmt::format(" · {} pinned by {}{}", format_bytes(held_bytes), cut_end(name, kMostColumns),
                     has_others ? " and others" : "");
}

} // namespace

std::string band_text(const MemoryState& state, const BoardBand& band) {
  const Segment& first = state.segments[band.cells.front().segment];
  std::uint64_t segments = 0;
  std::uint64_t bytes = 0;
  std::uint64_t used = 0;
  const std::string largest = format_bytes(first.total_bytes);
  const std::string smallest = format_bytes(state.segments[band.cells.back().segment].total_bytes);
  for (const Cell& cell : band.cells) {
    segments += cell.count;
    bytes += bytes_of(state, cell);
    used += cell.count * cell.used_bytes;
  }
  std::string text;
  if (segments == 1)
    text = fmt::format("{} · {}", format_address(first.address), format_bytes(bytes));
  else if (band.is_expandable)
    text = fmt::format("{} mapped ranges of expandable segments, {}, unmapped gaps left out", format_count(segments),
                       format_bytes(bytes));
  else
    text = fmt::format("{} segments of {}, {}", format_count(segments),
                       largest == smallest ? largest : smallest + " to " + largest, format_bytes(bytes));
  if (segments == 1 && band.is_expandable) text += " · expandable";
  return text + fmt::format(" · {} in use", format_percent(used, bytes)) + pinned_text(state.frames(), band);
}

std::string place_name(const MemoryState& state, const BoardPlace& place) {
  return fmt::format("{}, {}, stream {}",
                     device_name(place.place.device, state.recording->origin.kind_of(place.place.device)),
                     node_label(state.frames(), place.place.pool), place.place.stream);
}

std::string place_text(const BoardPlace& place) {
  const std::string hole =
      place.largest_hole_bytes == 0 ? "no hole" : "largest hole " + format_bytes(place.largest_hole_bytes);
  return fmt::format("{}, {}, {}", format_counted(place.place.totals.segments, "segment"), use_text(place.place.totals),
                     hole);
}

const Paint* place_paint(const BoardPlace& place) {
  if (place.place.pool.is_private()) return &paint::kPrivatePool;
  return place.place.stream != 0 ? &paint::kOtherStream : nullptr;
}

BoardLayout lay_out(const MemoryState& state, const Board& board, double width) {
  return Layouter(state, board, width).run();
}

} // namespace memviz::render
