#pragma once

// Compressed bytes -> the bytes of the snapshot. gzip (any number of members) and zstd (any number of frames) are
// recognised by their first bytes.

#include "io/byte_buffer.hpp"

#include <functional>
#include <string_view>

namespace memviz {

enum class Compression { none, gzip, zstd };

/// By the first four bytes.
[[nodiscard]] Compression compression_of(std::string_view bytes);

/// The compressed bytes piece by piece, each valid until the next one is asked for; an empty one at the end.
using NextPiece = std::function<std::string_view()>;

/// Appends what the pieces hold to `buffer`. Throw Error for data that is damaged or cut short, std::bad_alloc, and
/// what the buffer throws.
void decompress_gzip(const NextPiece& next_piece, ByteBuffer& buffer);
void decompress_zstd(const NextPiece& next_piece, ByteBuffer& buffer);

} // namespace memviz
