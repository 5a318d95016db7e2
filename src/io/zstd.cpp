#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"
#include "memviz/error.hpp"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include <zstd.h>

namespace memviz {

namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
};

/// What `zstd --long=31` writes; the window is memory that is only touched as far as it is used.
constexpr int kLargestWindowLog = 31;

} // namespace

Input decompress_zstd(std::string_view bytes, std::size_t max_bytes) {
  const std::unique_ptr<ZSTD_DStream, FreeStream> stream(ZSTD_createDStream());
  if (!stream) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kLargestWindowLog);

  ByteBuffer buffer(max_bytes);
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  for (;;) {
    const auto room = buffer.room();
    ZSTD_outBuffer output{room.data(), room.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream.get(), &output, &input);
    buffer.add(output.pos);
    if (ZSTD_isError(result) != 0) {
      throw Error("the zstd data is damaged at compressed byte " + std::to_string(input.pos) + ": " +
                  ZSTD_getErrorName(result));
    }
    if (input.pos < input.size) continue;
    if (result == 0) return std::move(buffer).into_input();
    const bool has_more = output.pos == output.size;
    if (!has_more) throw Error("the zstd data ends before it is complete: is the file cut short?");
  }
}

} // namespace memviz
