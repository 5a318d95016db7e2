#include "segments/block_strip.hpp"

#include "page/palette.hpp"

#include <algorithm>

namespace memviz::render {
namespace {

/// Neighbours that end within this many pixels are drawn as one.
constexpr double kNarrow = 2;
/// Wider blocks have a tooltip.
constexpr double kPointable = 4;

/// Blocks of one state that stand side by side in the picture.
struct Piece {
  BlockState state = BlockState::inactive;
  double begin = 0; ///< pixels from the left edge
  double end = 0;
  std::uint32_t first_block = 0;
  std::uint32_t blocks = 0;
};

const Paint& paint_of(BlockState state) {
  return state == BlockState::active_pending_free ? paint::kPending : paint::kRequested;
}

class Strip {
public:
  Strip(XmlElement parent, const BlockStrip& strip) : parent_(parent), strip_(strip) {}

  void add(const Piece& piece) {
    if (joins(piece)) {
      waiting_.end = std::max(waiting_.end, piece.end);
      ++waiting_.blocks;
      return;
    }
    flush();
    waiting_ = piece;
  }

  void flush() {
    if (waiting_.blocks == 0) return;
    const double width = std::clamp(waiting_.end - waiting_.begin, 1.0, strip_.width);
    const double begin = std::min(waiting_.begin, strip_.width - width);
    const double gap = width > kPointable ? 0.5 : 0; // between neighbours
    XmlElement group = add_group(parent_, paint_of(waiting_.state).name);
    add_rect(group, strip_.x + begin, strip_.y, width - gap, strip_.height);
    if (width >= kPointable && waiting_.blocks == 1) group.child("title").text(strip_.title(waiting_.first_block));
    waiting_.blocks = 0;
  }

private:
  [[nodiscard]] bool joins(const Piece& piece) const {
    const bool is_neighbour = waiting_.blocks > 0 && waiting_.state == piece.state && piece.begin <= waiting_.end + 0.5;
    return is_neighbour && (piece.end - waiting_.begin < kNarrow || piece.end - piece.begin < kNarrow);
  }

  XmlElement parent_;
  const BlockStrip& strip_;
  Piece waiting_; ///< of no blocks: none
};

} // namespace

void draw_block_strip(XmlElement parent, const Snapshot& snapshot, const Segment& segment, const BlockStrip& strip) {
  add_rect(add_group(parent, paint::kInactive.name), strip.x, strip.y, strip.width, strip.height);
  if (segment.total_bytes == 0) return;
  const double pixels_per_byte = strip.width / static_cast<double>(segment.total_bytes);
  Strip drawn(parent, strip);
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    const Block& block = snapshot.blocks[i];
    // Damaged files have blocks outside of their segment.
    if (!block.is_active() || block.address < segment.address) continue;
    const std::uint64_t offset = block.address - segment.address;
    if (offset > segment.total_bytes || block.size_bytes > segment.total_bytes - offset) continue;
    drawn.add({block.state, static_cast<double>(offset) * pixels_per_byte,
               static_cast<double>(offset + block.size_bytes) * pixels_per_byte, i, 1});
  }
  drawn.flush();
}

} // namespace memviz::render
