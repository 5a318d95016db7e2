#include "memviz/input.hpp"

#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"
#include "io/file_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace memviz {

namespace {

/// As they are, behind the piece that was read to see what they are.
void append_rest(FileBytes& file, std::string_view first_piece, const InputOptions& options, ByteBuffer& buffer) {
  while (!first_piece.empty()) {
    const auto room = buffer.room();
    const std::size_t size = std::min(room.size(), first_piece.size());
    std::memcpy(room.data(), first_piece.data(), size);
    buffer.add(size);
    first_piece.remove_prefix(size);
  }
  while (const std::size_t got = file.read(buffer.room())) {
    buffer.add(got);
    if (options.on_progress) options.on_progress(file.done_bytes(), file.total_bytes());
  }
}

/// The first piece again, then the rest of the file.
NextPiece pieces_of(FileBytes& file, std::string_view first_piece, const InputOptions& options) {
  return [&file, &options, first_piece, is_first = true]() mutable {
    if (std::exchange(is_first, false)) return first_piece;
    if (options.on_progress) options.on_progress(file.done_bytes(), file.total_bytes());
    return file.next_piece();
  };
}

} // namespace

Input read_input(const std::string& path, const InputOptions& options) {
  FileBytes file(path);
  const std::string_view first_piece = file.next_piece();
  const Compression compression = compression_of(first_piece);
  if (compression == Compression::none)
    if (auto mapped = file.map()) return *std::move(mapped);

  ByteBuffer buffer(std::min(options.max_bytes, main_memory_bytes()), options.check_head);
  switch (compression) {
  case Compression::gzip: decompress_gzip(pieces_of(file, first_piece, options), buffer); break;
  case Compression::zstd: decompress_zstd(pieces_of(file, first_piece, options), buffer); break;
  case Compression::none: append_rest(file, first_piece, options, buffer); break;
  }
  return std::move(buffer).into_input();
}

} // namespace memviz
