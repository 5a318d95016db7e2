#include "io/decompress.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#define ZLIB_CONST // next_in is never written to
#include <zlib.h>

namespace memviz {

namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr char kFirstByte = '\x1f'; // of a member

/// zlib counts in 32 bits; a larger run is passed in parts.
uInt part(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

class Inflater {
public:
  explicit Inflater(const NextPiece& next_piece) : next_piece_(next_piece) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Appends one part of the output; returns false at the end of a member.
  bool step(ByteBuffer& buffer) {
    const bool is_input_over = !has_more();
    const auto room = buffer.room();
    const uInt given = part(rest_.size());
    const uInt space = part(room.size());
    stream_.next_in = reinterpret_cast<const Bytef*>(rest_.data());
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = space;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    skip(given - stream_.avail_in);
    buffer.add(space - stream_.avail_out);
    if (result == Z_STREAM_END) return false;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_OK || (result == Z_BUF_ERROR && !is_input_over)) return true;
    if (result == Z_BUF_ERROR) throw Error("the gzip data ends before it is complete: is the file cut short?");
    throw Error("the gzip data is damaged at compressed byte " + std::to_string(taken_bytes_));
  }

  /// Whether another member follows; skips zeros that pad the end of a file, as gzip does.
  bool next_member() {
    while (has_more() && rest_.front() == '\0')
      skip(std::min(rest_.find_first_not_of('\0'), rest_.size()));
    if (!has_more()) return false;
    if (rest_.front() != kFirstByte) {
      throw Error("bytes that are not gzip follow the gzip data, at compressed byte " + std::to_string(taken_bytes_));
    }
    inflateReset(&stream_);
    return true;
  }

private:
  bool has_more() {
    if (rest_.empty()) rest_ = next_piece_();
    return !rest_.empty();
  }

  void skip(std::size_t bytes) {
    rest_.remove_prefix(bytes);
    taken_bytes_ += bytes;
  }

  const NextPiece& next_piece_;
  z_stream stream_{};
  std::string_view rest_;
  std::uint64_t taken_bytes_ = 0;
};

} // namespace

void decompress_gzip(const NextPiece& next_piece, ByteBuffer& buffer) {
  Inflater inflater(next_piece);
  do {
    while (inflater.step(buffer)) {}
  } while (inflater.next_member());
}

} // namespace memviz
