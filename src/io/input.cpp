#include "memviz/input.hpp"

#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"
#include "io/file_bytes.hpp"
#include "io/memory_limit.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace memviz {

namespace {

constexpr std::uint64_t kMostGrowth = 1000;

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

/// What compressed bytes may become. Real snapshots shrink to a fifth to a fortieth, generated ones to less than a
/// hundredth: what grows more than this was made to fill somebody's memory.
std::size_t most_unpacked_bytes(std::uint64_t compressed_bytes) {
  constexpr std::size_t kAlways = std::size_t{64} << 20U;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  return kAlways + static_cast<std::size_t>(std::min(compressed_bytes, kMost / kMostGrowth) * kMostGrowth);
}

/// The first piece again, then the rest of the file; `buffer` may hold more with each.
NextPiece pieces_of(FileBytes& file, std::string_view first_piece, const InputOptions& options, ByteBuffer& buffer) {
  return [&file, &options, &buffer, first_piece, is_first = true]() mutable {
    std::string_view piece = first_piece;
    if (!std::exchange(is_first, false)) {
      if (options.on_progress) options.on_progress(file.done_bytes(), file.total_bytes());
      piece = file.next_piece();
    }
    buffer.limit(most_unpacked_bytes(file.done_bytes()),
                 "over " + std::to_string(kMostGrowth) +
                     " times its compressed size: if that is meant, unpack it first (zcat, zstdcat)");
    return piece;
  };
}

/// The most bytes to read into memory.
std::size_t most_bytes(const InputOptions& options) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::size_t>::max() - 1;
  return static_cast<std::size_t>(std::min({options.max_bytes, main_memory_bytes(), kMost}));
}

class Text final : public InputStorage {
public:
  explicit Text(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::string_view bytes() const noexcept override { return bytes_; }

private:
  std::string bytes_;
};

} // namespace

Input input_of(std::string bytes) {
  return Input(std::make_unique<Text>(std::move(bytes)));
}

Input read_input(const std::string& path, const InputOptions& options) {
  FileBytes file(path, options.regular_only);
  const std::string_view first_piece = file.next_piece();
  const Compression compression = compression_of(first_piece);
  if (compression == Compression::none)
    if (auto mapped = file.map()) return *std::move(mapped);

  ByteBuffer buffer(most_bytes(options), options.check_head);
  switch (compression) {
  case Compression::gzip: decompress_gzip(pieces_of(file, first_piece, options, buffer), buffer); break;
  case Compression::zstd: decompress_zstd(pieces_of(file, first_piece, options, buffer), buffer); break;
  case Compression::none: append_rest(file, first_piece, options, buffer); break;
  }
  return std::move(buffer).into_input();
}

} // namespace memviz
