#include "io/decompress.hpp"
#include "memviz/error.hpp"

// What the engine of a page has in the place of decompress_xz.cpp and decompress_bzip2.cpp: their libraries would make
// every page larger.

namespace memviz {

void decompress_xz(const NextPiece&, ByteBuffer&) {
  throw Error("compressed by xz, which a page does not read: decompress it first (xz -d)");
}

void decompress_bzip2(const NextPiece&, ByteBuffer&) {
  throw Error("compressed by bzip2, which a page does not read: decompress it first (bzip2 -d)");
}

} // namespace memviz
