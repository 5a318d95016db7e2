#include "segments/block_strip.hpp"

#include "page/palette.hpp"
#include "segments/pieces.hpp"

#include <algorithm>

namespace memviz::render {
namespace {

/// Neighbours narrower than this many pixels are drawn as one.
constexpr double kNarrow = 2;
/// Wider blocks have a tooltip, and a gap to the next.
constexpr double kPointable = 4;
constexpr double kGap = 0.5;

const Paint& paint_of(const MemoryMap& memory, const Piece& piece) {
  if (piece.kind == PieceKind::unaccounted) return paint::kUnaccounted;
  const BlockState state = memory.blocks[piece.block].state;
  return state == BlockState::active_pending_free ? paint::kPending : paint::kRequested;
}

} // namespace

void draw_block_strip(XmlElement parent, const MemoryMap& memory, const Segment& segment, const BlockStrip& strip) {
  add_rect(add_group(parent, paint::kInactive.name), strip.x, strip.y, strip.width, strip.height);
  if (segment.total_bytes == 0) return;
  const double pixels_per_byte = strip.width / static_cast<double>(segment.total_bytes);
  const auto least_bytes = static_cast<std::uint64_t>(kNarrow / pixels_per_byte);
  for (const Piece& piece : merged_small(memory, pieces_of(memory, segment), least_bytes)) {
    if (piece.kind != PieceKind::unaccounted && piece.blocks == 0) continue;
    // What is in use is never narrower than a pixel.
    const double width = std::clamp(static_cast<double>(piece.size_bytes) * pixels_per_byte, 1.0, strip.width);
    const double begin = std::min(static_cast<double>(piece.begin_bytes) * pixels_per_byte, strip.width - width);
    XmlElement group = add_group(parent, paint_of(memory, piece).name);
    add_rect(group, strip.x + begin, strip.y, width - (width > kPointable ? kGap : 0), strip.height);
    if (width >= kPointable && piece.kind == PieceKind::block) group.child("title").text(strip.title(piece.block));
  }
}

} // namespace memviz::render
