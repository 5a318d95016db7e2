#include "support/compress.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <memory>
#include <stdexcept>
#include <zlib.h>
#include <zstd.h>

namespace memviz::test {

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib does not start");
  std::string input(bytes);
  std::string result(deflateBound(&stream, input.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib does not finish");
  result.resize(result.size() - stream.avail_out);
  deflateEnd(&stream);
  return result;
}

std::string zstd(std::string_view bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1); // as the zstd program does
  std::string result(ZSTD_compressBound(bytes.size()), '\0');
  result.resize(ZSTD_compress2(context.get(), result.data(), result.size(), bytes.data(), bytes.size()));
  return result;
}

std::string xz(std::string_view bytes) {
  std::string result(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                              bytes.size(), reinterpret_cast<std::uint8_t*>(result.data()), &size,
                              result.size()) != LZMA_OK)
    throw std::runtime_error("liblzma does not finish");
  result.resize(size);
  return result;
}

std::string bzip2(std::string_view bytes) {
  std::string input(bytes);
  auto size = static_cast<unsigned>(bytes.size() + bytes.size() / 100 + 600);
  std::string result(size, '\0');
  if (BZ2_bzBuffToBuffCompress(result.data(), &size, input.data(), static_cast<unsigned>(input.size()), 1, 0, 0) !=
      BZ_OK)
    throw std::runtime_error("bzip2 does not finish");
  result.resize(size);
  return result;
}

} // namespace memviz::test
