#include "io/decompress.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <bzlib.h>
#include <limits>
#include <new>
#include <string>

namespace memviz {

namespace {

/// bzip2 counts in 32 bits; a larger run is passed in parts.
unsigned part_of(std::size_t bytes) {
  return static_cast<unsigned>(std::min<std::size_t>(bytes, std::numeric_limits<unsigned>::max()));
}

class Bzip2Decoder {
public:
  explicit Bzip2Decoder(const NextPiece& next_piece) : next_piece_(next_piece) { start(); }
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;
  ~Bzip2Decoder() { BZ2_bzDecompressEnd(&stream_); }

  /// Appends one part of the output; returns false at the end of a stream.
  bool step(ByteBuffer& buffer) {
    const bool is_input_over = !has_more();
    const auto room = buffer.room();
    const unsigned given = part_of(rest_.size());
    const unsigned space = part_of(room.size());
    stream_.next_in = const_cast<char*>(rest_.data()); // bzip2 does not write to it
    stream_.avail_in = given;
    stream_.next_out = room.data();
    stream_.avail_out = space;
    const int result = BZ2_bzDecompress(&stream_);
    rest_.remove_prefix(given - stream_.avail_in);
    taken_bytes_ += given - stream_.avail_in;
    const unsigned made = space - stream_.avail_out;
    buffer.add(made);
    if (result == BZ_STREAM_END) return false;
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    if (result != BZ_OK) throw Error("the bzip2 data is damaged at compressed byte " + std::to_string(taken_bytes_));
    if (is_input_over && made == 0) throw Error("the bzip2 data ends before it is complete: is the file cut short?");
    return true;
  }

  /// Whether another stream follows, as in files of pbzip2.
  bool next_stream() {
    if (!has_more()) return false;
    if (rest_.front() != 'B') {
      throw Error("bytes that are not bzip2 follow the bzip2 data, at compressed byte " + std::to_string(taken_bytes_));
    }
    BZ2_bzDecompressEnd(&stream_);
    start();
    return true;
  }

private:
  void start() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bool has_more() {
    if (rest_.empty()) rest_ = next_piece_();
    return !rest_.empty();
  }

  const NextPiece& next_piece_;
  bz_stream stream_{};
  std::string_view rest_;
  std::uint64_t taken_bytes_ = 0;
};

} // namespace

void decompress_bzip2(const NextPiece& next_piece, ByteBuffer& buffer) {
  Bzip2Decoder decoder(next_piece);
  do {
    while (decoder.step(buffer)) {}
  } while (decoder.next_stream());
}

} // namespace memviz
