#pragma once

// A board -> where each segment is: strips on one scale, side by side, in as many lines as needed. A band that would be
// too narrow on that scale has a separate, larger one, which its caption gives.

#include "segments/board.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::render {

inline constexpr double kStripHeight = 18;

/// The part of a cell on one line: a long segment continues in the next one.
struct BoardStrip {
  const Cell* cell = nullptr;
  double x = 0;
  double y = 0;
  double width = 0;
  std::uint64_t begin_bytes = 0; ///< the part of the segment that it shows
  std::uint64_t end_bytes = 0;
};

struct BoardText {
  double x = 0;
  double y = 0; ///< of the baseline
  std::string text;
  std::string_view css_class;
};

/// The mark next to a private pool or a side stream.
struct PlaceMark {
  double y = 0;
  double height = 0;
  const Paint* paint = nullptr;
};

struct BoardLayout {
  std::vector<BoardStrip> strips;
  std::vector<BoardText> texts;
  std::vector<PlaceMark> marks;
  double height = 0;
  double bytes_per_pixel = 0;
};

/// Lays the segments out from 0 to `width`, and down from 0.
[[nodiscard]] BoardLayout lay_out(const MemoryState& state, const Board& board, double width);

/// "0x7f0000000000 · 432 MiB · 99.5 % in use", "34 segments of 20.0 MiB, 680 MiB · 9.0 % in use · 619 MiB pinned by put
/// cache.py:3 and others"
[[nodiscard]] std::string band_text(const MemoryState& state, const BoardBand& band);
/// "GPU 0, private pool (0, 1), stream 7"; only the device if there is only one place.
[[nodiscard]] std::string place_name(const MemoryState& state, const BoardPlace& place);
/// "34 segments, 1.20 GiB, 83.0 % in use, largest hole 12.0 MiB"
[[nodiscard]] std::string place_text(const BoardPlace& place);
/// Returns the paint of a private pool or a side stream; null for the default ones.
[[nodiscard]] const Paint* place_paint(const BoardPlace& place);

} // namespace memviz::render
