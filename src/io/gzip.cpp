#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>

#define ZLIB_CONST // next_in is never written to
#include <zlib.h>

namespace memviz {

namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;

/// zlib counts in 32 bits; a larger run is handed over in parts.
uInt part(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

class Inflater {
public:
  explicit Inflater(std::string_view bytes) : rest_(bytes), total_bytes_(bytes.size()) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Appends one part of the output; false at the end of a member.
  bool step(ByteBuffer& buffer) {
    const auto room = buffer.room();
    const uInt given = part(rest_.size());
    const uInt space = part(room.size());
    stream_.next_in = reinterpret_cast<const Bytef*>(rest_.data());
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = space;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(given - stream_.avail_in);
    buffer.add(space - stream_.avail_out);
    if (result == Z_STREAM_END) return false;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_OK || (result == Z_BUF_ERROR && !rest_.empty())) return true;
    if (result == Z_BUF_ERROR) throw Error("the gzip data ends before it is complete: is the file cut short?");
    throw Error("the gzip data is damaged at compressed byte " + std::to_string(total_bytes_ - rest_.size()));
  }

  /// Whether another member follows; zeros that pad the end of a file are skipped, as gzip does.
  bool next_member() {
    const std::string_view padding = rest_.substr(0, rest_.find_first_not_of('\0'));
    if (padding.size() == rest_.size()) return false;
    if (compression_of(rest_) != Compression::gzip) {
      throw Error("bytes that are not gzip follow the gzip data, at compressed byte " +
                  std::to_string(total_bytes_ - rest_.size()));
    }
    inflateReset(&stream_);
    return true;
  }

private:
  z_stream stream_{};
  std::string_view rest_;
  std::size_t total_bytes_;
};

} // namespace

Input decompress_gzip(std::string_view bytes, std::size_t max_bytes) {
  ByteBuffer buffer(max_bytes);
  Inflater inflater(bytes);
  do {
    while (inflater.step(buffer)) {}
  } while (inflater.next_member());
  return std::move(buffer).into_input();
}

} // namespace memviz
