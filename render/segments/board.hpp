#pragma once

// Segments -> a board: by device, pool and stream, with segments of one size together, and those that look the same as
// one.

#include "segments/colouring.hpp"
#include "segments/pieces.hpp"

#include "memviz/memory_state.hpp"
#include "memviz/pins.hpp"
#include "memviz/places.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz::render {

/// A segment, for itself and for all that look like it.
struct Cell {
  std::uint32_t segment = 0; ///< the first of them: index in MemoryMap::segments
  std::uint64_t count = 1;
  std::uint64_t used_bytes = 0; ///< of one
  std::uint64_t held_bytes = 0; ///< free bytes that the blocks of all of them pin
  const PinnedSegment* pinned = nullptr;
  std::vector<Piece> pieces = {};
};

/// Segments of one size, or, if there are many sizes, of similar ones; or all expandable ones, whose sizes only show
/// how far they have grown.
struct BoardBand {
  bool is_expandable = false;
  std::vector<Cell> cells; ///< largest first, then in address order; expandable ones in address order
};

struct BoardPlace {
  Place place;
  std::vector<BoardBand> bands; ///< expandable ones, then the largest first
  std::uint64_t largest_hole_bytes = 0;
  bool is_closed = false; ///< of a device other than the leading one: a line that a click opens
};

struct Board {
  std::vector<BoardPlace> places;
  std::uint64_t left_out_segments = 0;
  std::uint64_t left_out_bytes = 0;
};

struct BoardOptions {
  std::optional<DeviceId> device; ///< only this one
  const Pins& pins;
  std::size_t most_cells = 0;    ///< the largest are kept
  std::uint64_t least_bytes = 0; ///< smaller neighbours are merged
};

/// Returns the places, those of the leading device first and those of others closed. Segments of one place and size
/// whose blocks have the same sizes, states, classes and keepers, in the same order, become one cell.
[[nodiscard]] Board board_of(const MemoryState& state, const Colouring& colouring, const BoardOptions& options);

/// Returns the reserved bytes of all segments of a cell.
[[nodiscard]] std::uint64_t bytes_of(const MemoryState& state, const Cell& cell);

} // namespace memviz::render
