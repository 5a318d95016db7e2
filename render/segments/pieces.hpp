#pragma once

// One segment -> its pieces in address order, which cover it from end to end: blocks, holes, and what no block covers.
// Small neighbours can be merged; the bytes stay.

#include "memviz/memory_map.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace memviz::render {

enum class PieceKind : std::uint8_t {
  block,       ///< in use
  hole,        ///< free
  unaccounted, ///< covered by no block: damaged or edited files
  smaller,     ///< several neighbours, each too small to be one
};

inline constexpr std::uint32_t kNoBlock = std::numeric_limits<std::uint32_t>::max();

struct Piece {
  PieceKind kind = PieceKind::hole;
  std::uint64_t begin_bytes = 0; ///< from the segment's address
  std::uint64_t size_bytes = 0;
  std::uint64_t used_bytes = 0;   ///< of blocks in use, with their rounding
  std::uint32_t block = kNoBlock; ///< index in MemoryMap::blocks; of several the largest in use
  std::uint32_t blocks = 0;       ///< in use
  std::uint32_t holes = 0;

  [[nodiscard]] std::uint64_t end_bytes() const { return begin_bytes + size_bytes; }
  /// Free, or of several mostly so: what a drawing leaves pale.
  [[nodiscard]] bool is_mostly_free() const { return used_bytes < size_bytes - used_bytes; }
};

/// Blocks that overlap others or leave the segment, which only damaged files have, are left out.
[[nodiscard]] std::vector<Piece> pieces_of(const MemoryMap& memory, const Segment& segment);

/// Neighbours of less than `least_bytes` each become pieces of about that size.
[[nodiscard]] std::vector<Piece> merged_small(const MemoryMap& memory, const std::vector<Piece>& pieces,
                                              std::uint64_t least_bytes);

} // namespace memviz::render
