#include "memviz/input.hpp"

#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"
#include "io/file_bytes.hpp"
#include "io/memory_limit.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace memviz {

namespace {

/// Appends bytes unchanged, after the piece that was read to find out their kind.
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

/// Returns the first piece again, then the rest of the file; each piece raises the limit of `buffer`.
NextPiece pieces_of(FileBytes& file, std::string_view first_piece, const InputOptions& options, ByteBuffer& buffer) {
  return [&file, &options, &buffer, first_piece, is_first = true]() mutable {
    std::string_view piece = first_piece;
    if (!std::exchange(is_first, false)) {
      if (options.on_progress) options.on_progress(file.done_bytes(), file.total_bytes());
      piece = file.next_piece();
    }
    limit_growth(buffer, file.done_bytes());
    return piece;
  };
}

} // namespace

StoredInput read_stored(const std::string& path, const InputOptions& options) {
  FileBytes file(path, options.regular_only);
  const std::string_view first_piece = file.next_piece();
  const Compression compression = compression_of(first_piece);
  if (compression == Compression::none)
    if (auto mapped = file.map()) return {*std::move(mapped), file.total_bytes(), ""};

  ByteBuffer buffer(std::min(options.max_bytes, main_memory_bytes()), options.check_head);
  if (compression == Compression::none)
    append_rest(file, first_piece, options, buffer);
  else
    decompress(compression, pieces_of(file, first_piece, options, buffer), buffer);
  return {std::move(buffer).into_input(), file.done_bytes(), std::string(compression_name(compression))};
}

Input read_input(const std::string& path, const InputOptions& options) {
  return read_stored(path, options).input;
}

} // namespace memviz
