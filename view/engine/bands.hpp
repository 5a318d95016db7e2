#pragma once

// A part of a device's recording -> a drawing in which each allocation is a band: columns of pixels, each with the
// allocations that are live in its state, stacked from the bottom.

#include "engine/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memviz::view {

/// The pixels of a drawing. The columns are those of curve().
struct BandGrid {
  Window window;
  TimelineAxis axis = TimelineAxis::event;
  std::size_t columns = 0;
  std::size_t rows = 0;
  double bytes_per_row = 1; ///< greater than 0
  double base_bytes = 0;    ///< below the lowest row
};

/// Pixels by column, and within it from the bottom. A pixel has the allocation at its middle.
struct Bands {
  std::vector<double> bytes;        ///< by column: the sum of all its bands
  std::vector<std::uint32_t> lives; ///< an index in Scrub, or kNone
  /// 0: nothing; else 1 + 2 * class, 1 more for every second allocation that is at least a pixel high.
  std::vector<std::uint8_t> values;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
};

/// Draws all allocations of a part of the recording, however small, in the order of Walk::band_order().
[[nodiscard]] Bands bands(Walk& walk, std::string_view by, const BandGrid& grid);

} // namespace memviz::view
