#include "io/compress.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

#define ZLIB_CONST // next_in is never written to
#include <zlib.h>

namespace memviz {

std::string gzipped(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kLevel = 6;
  constexpr int kMemoryLevel = 8; // zlib's own default
  constexpr std::size_t kRoom = std::size_t{1} << 16U;
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    // zlib counts in 32 bits.
    const auto part = static_cast<uInt>(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
    const std::size_t before = out.size();
    out.resize(before + kRoom);
    stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream.avail_in = part;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(kRoom);
    result = deflate(&stream, part == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(part - stream.avail_in);
    out.resize(out.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::logic_error("zlib refused to go on");
  return out;
}

} // namespace memviz
