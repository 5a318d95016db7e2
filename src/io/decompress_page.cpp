#include "io/decompress.hpp"
#include "memviz/error.hpp"

// The engine of a page has these instead of decompress_xz.cpp and decompress_bzip2.cpp, whose libraries would make
// every page larger.

namespace memviz {

void decompress_xz(const NextPiece&, ByteBuffer&) {
  throw Error("compressed by xz, which a page does not read: decompress it first (xz -d)");
}

void decompress_bzip2(const NextPiece&, ByteBuffer&) {
  throw Error("compressed by bzip2, which a page does not read: decompress it first (bzip2 -d)");
}

} // namespace memviz
