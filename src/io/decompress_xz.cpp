#include "io/decompress.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <lzma.h>
#include <new>
#include <string>

namespace memviz {

namespace {

/// The most memory for the dictionary: `xz -9` writes one of 64 MiB. Only what is used of it is touched.
constexpr std::uint64_t kMostDecoderBytes = std::uint64_t{80} << 20U;

class XzDecoder {
public:
  XzDecoder() {
    if (lzma_stream_decoder(&stream_, kMostDecoderBytes, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() { lzma_end(&stream_); }

  /// Appends one part of the output; returns false at the end.
  bool step(const NextPiece& next_piece, ByteBuffer& buffer) {
    if (stream_.avail_in == 0 && !is_input_over_) {
      const std::string_view piece = next_piece();
      is_input_over_ = piece.empty();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
      stream_.avail_in = piece.size();
    }
    const auto room = buffer.room();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(room.data());
    stream_.avail_out = room.size();
    const lzma_ret result = lzma_code(&stream_, is_input_over_ ? LZMA_FINISH : LZMA_RUN);
    buffer.add(room.size() - stream_.avail_out);
    if (result == LZMA_STREAM_END) return false;
    if (result != LZMA_OK) fail(result);
    return true;
  }

private:
  [[noreturn]] void fail(lzma_ret result) {
    if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (result == LZMA_BUF_ERROR) throw Error("the xz data ends before it is complete: is the file cut short?");
    if (result == LZMA_MEMLIMIT_ERROR) {
      throw Error("the xz data needs " + format_bytes(lzma_memusage(&stream_)) +
                  " to be decompressed, more than xz -9 writes: if that is meant, decompress it first (xz -d)");
    }
    throw Error("the xz data is damaged at compressed byte " + std::to_string(stream_.total_in));
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool is_input_over_ = false;
};

} // namespace

void decompress_xz(const NextPiece& next_piece, ByteBuffer& buffer) {
  XzDecoder decoder;
  while (decoder.step(next_piece, buffer)) {}
}

} // namespace memviz
