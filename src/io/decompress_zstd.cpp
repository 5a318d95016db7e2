#include "io/decompress.hpp"
#include "memviz/error.hpp"

#include <memory>
#include <new>
#include <string>

#include <zstd.h>
#include <zstd_errors.h>

namespace memviz {

namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
};

/// The window of `zstd --long=31`; its memory is touched only as far as it is used.
constexpr int kLargestWindowLog = 31;

[[noreturn]] void fail(std::size_t result, std::uint64_t offset) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  throw Error("the zstd data is damaged at compressed byte " + std::to_string(offset) + ": " +
              ZSTD_getErrorName(result));
}

} // namespace

void decompress_zstd(const NextPiece& next_piece, ByteBuffer& buffer) {
  const std::unique_ptr<ZSTD_DStream, FreeStream> stream(ZSTD_createDStream());
  if (!stream) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kLargestWindowLog);

  std::uint64_t earlier_bytes = 0; // of the previous pieces
  std::size_t left_of_frame = 0;
  bool has_pending_output = false;
  ZSTD_inBuffer input{};
  for (;;) {
    if (input.pos == input.size && !has_pending_output) {
      earlier_bytes += input.size;
      const std::string_view piece = next_piece();
      if (piece.empty() && left_of_frame == 0) return;
      if (piece.empty()) throw Error("the zstd data ends before it is complete: is the file cut short?");
      input = {piece.data(), piece.size(), 0};
    }
    const auto room = buffer.room();
    ZSTD_outBuffer output{room.data(), room.size(), 0};
    left_of_frame = ZSTD_decompressStream(stream.get(), &output, &input);
    buffer.add(output.pos);
    if (ZSTD_isError(left_of_frame) != 0) fail(left_of_frame, earlier_bytes + input.pos);
    has_pending_output = left_of_frame != 0 && output.pos == output.size;
  }
}

} // namespace memviz
