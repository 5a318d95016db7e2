#include "segments/pieces.hpp"

namespace memviz::render {
namespace {

Piece piece_of(const Block& block, std::uint32_t index, std::uint64_t offset) {
  if (!block.is_active())
    return {.kind = PieceKind::hole, .begin_bytes = offset, .size_bytes = block.size_bytes, .block = index, .holes = 1};
  return {.kind = PieceKind::block,
          .begin_bytes = offset,
          .size_bytes = block.size_bytes,
          .used_bytes = block.size_bytes,
          .block = index,
          .blocks = 1};
}

/// Neighbours that become one piece.
class Run {
public:
  explicit Run(const MemoryMap& memory) : memory_(memory) {}

  [[nodiscard]] bool is_empty() const { return parts_ == 0; }
  [[nodiscard]] std::uint64_t bytes() const { return sum_.size_bytes; }

  void add(const Piece& piece) {
    if (parts_++ == 0) {
      sum_ = piece;
      return;
    }
    sum_.kind = PieceKind::smaller;
    if (is_larger(piece, sum_)) sum_.block = piece.block;
    sum_.size_bytes += piece.size_bytes;
    sum_.used_bytes += piece.used_bytes;
    sum_.blocks += piece.blocks;
    sum_.holes += piece.holes;
  }

  [[nodiscard]] Piece take() {
    parts_ = 0;
    return sum_;
  }

private:
  /// Whether the block of `piece` represents the run better than that of `other`.
  [[nodiscard]] bool is_larger(const Piece& piece, const Piece& other) const {
    const auto weight = [&](std::uint32_t block) {
      return block == kNoBlock || !memory_.blocks[block].is_active() ? 0 : memory_.blocks[block].size_bytes;
    };
    return weight(piece.block) > weight(other.block);
  }

  const MemoryMap& memory_;
  Piece sum_;
  std::size_t parts_ = 0;
};

} // namespace

std::vector<Piece> pieces_of(const MemoryMap& memory, const Segment& segment) {
  std::vector<Piece> pieces;
  std::uint64_t end = 0;
  const auto cover_until = [&](std::uint64_t begin) {
    if (begin > end) pieces.push_back({.kind = PieceKind::unaccounted, .begin_bytes = end, .size_bytes = begin - end});
  };
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    const Block& block = memory.blocks[i];
    if (block.size_bytes == 0 || block.address < segment.address) continue;
    const std::uint64_t offset = block.address - segment.address;
    if (offset < end || offset > segment.total_bytes || block.size_bytes > segment.total_bytes - offset) continue;
    cover_until(offset);
    pieces.push_back(piece_of(block, i, offset));
    end = offset + block.size_bytes;
  }
  cover_until(segment.total_bytes);
  return pieces;
}

std::vector<Piece> merged_small(const MemoryMap& memory, const std::vector<Piece>& pieces, std::uint64_t least_bytes) {
  std::vector<Piece> merged;
  Run run(memory);
  for (const Piece& piece : pieces) {
    const bool is_small = piece.size_bytes < least_bytes;
    if (!run.is_empty() && (!is_small || run.bytes() >= least_bytes)) merged.push_back(run.take());
    if (is_small)
      run.add(piece);
    else
      merged.push_back(piece);
  }
  if (!run.is_empty()) merged.push_back(run.take());
  return merged;
}

} // namespace memviz::render
