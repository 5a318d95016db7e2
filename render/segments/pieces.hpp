#pragma once

// One segment -> its pieces in address order, which cover it completely: blocks, free parts, and parts that no block
// covers. Small neighbours can be merged; the bytes stay the same.

#include "memviz/memory_map.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace memviz::render {

enum class PieceKind : std::uint8_t {
  block,       ///< in use
  hole,        ///< free
  unaccounted, ///< covered by no block: damaged or edited files
  smaller,     ///< several neighbours, each too small to be separate
};

inline constexpr std::uint32_t kNoBlock = std::numeric_limits<std::uint32_t>::max();

struct Piece {
  PieceKind kind = PieceKind::hole;
  std::uint64_t begin_bytes = 0; ///< from the segment's address
  std::uint64_t size_bytes = 0;
  std::uint64_t used_bytes = 0;   ///< of blocks in use, including their rounding
  std::uint32_t block = kNoBlock; ///< index in MemoryMap::blocks; for several, the largest in use
  std::uint32_t blocks = 0;       ///< in use
  std::uint32_t holes = 0;

  [[nodiscard]] std::uint64_t end_bytes() const { return begin_bytes + size_bytes; }
  /// Whether it is free, or, for several, mostly free: such pieces are drawn pale.
  [[nodiscard]] bool is_mostly_free() const { return used_bytes < size_bytes - used_bytes; }
};

/// Returns the pieces. Omits blocks that overlap others or leave the segment, which only damaged files have.
[[nodiscard]] std::vector<Piece> pieces_of(const MemoryMap& memory, const Segment& segment);

/// Merges neighbours smaller than `least_bytes` into pieces of about that size.
[[nodiscard]] std::vector<Piece> merged_small(const MemoryMap& memory, const std::vector<Piece>& pieces,
                                              std::uint64_t least_bytes);

} // namespace memviz::render
