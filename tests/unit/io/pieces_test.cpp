#include "segments/pieces.hpp"

#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <vector>

using namespace memviz;
using namespace memviz::render;
using namespace memviz::test;

namespace {

/// Whether the pieces cover the segment from end to end.
void check_covers(const std::vector<Piece>& pieces, const Segment& segment) {
  std::uint64_t end = 0;
  for (const Piece& piece : pieces) {
    CHECK(piece.begin_bytes == end);
    CHECK(piece.used_bytes <= piece.size_bytes);
    end = piece.end_bytes();
  }
  CHECK(end == segment.total_bytes);
}

std::uint64_t used_bytes(const std::vector<Piece>& pieces) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces)
    bytes += piece.used_bytes;
  return bytes;
}

} // namespace

TEST_CASE("the pieces of a segment cover it; what no block covers is a piece as well") {
  SmallSnapshot small;
  small.segment(0x10000, 8192).active(1024, 1000).inactive(2048).pending(1024, 1024);
  const Recording snapshot = small.take();
  const std::vector<Piece> pieces = pieces_of(snapshot.end, snapshot.end.segments[0]);
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[1].kind == PieceKind::hole);
  CHECK(pieces[3].kind == PieceKind::unaccounted);
  CHECK(pieces[3].size_bytes == 4096);
  check_covers(pieces, snapshot.end.segments[0]);
}

TEST_CASE("blocks that overlap others or leave the segment are no pieces of it") {
  SmallSnapshot small;
  small.segment(0x10000, 4096).active(1024, 1024).active(1024, 1024).active(2048, 2048);
  Recording snapshot = small.take();
  snapshot.end.blocks[1].address = 0x10000 + 512;
  snapshot.end.blocks[2].address = ~std::uint64_t{0};
  check_covers(pieces_of(snapshot.end, snapshot.end.segments[0]), snapshot.end.segments[0]);
  snapshot.end.blocks[0].address = 1;
  const std::vector<Piece> pieces = pieces_of(snapshot.end, snapshot.end.segments[0]);
  check_covers(pieces, snapshot.end.segments[0]);
  CHECK(used_bytes(pieces) == 1024);
}

TEST_CASE("small neighbours become pieces of about the least size, and no byte is lost") {
  SmallSnapshot small;
  small.segment(0x10000, 400 * 512 + 65536);
  for (int i = 0; i < 200; ++i)
    small.active(512, 512).inactive(512);
  small.active(65536, 65536);
  const Recording snapshot = small.take();
  const std::vector<Piece> whole = pieces_of(snapshot.end, snapshot.end.segments[0]);
  const std::vector<Piece> merged = merged_small(snapshot.end, whole, 4096);
  check_covers(merged, snapshot.end.segments[0]);
  CHECK(used_bytes(merged) == used_bytes(whole));
  CHECK(merged.size() == 51);
  CHECK(merged.front().kind == PieceKind::smaller);
  CHECK(merged.front().blocks == 4);
  CHECK(merged.front().holes == 4);
  CHECK(merged.back().kind == PieceKind::block);
  std::uint32_t blocks = 0;
  for (const Piece& piece : merged)
    blocks += piece.blocks;
  CHECK(blocks == 201);
  CHECK(merged_small(snapshot.end, whole, 0).size() == whole.size());
}
