#pragma once

// Compressed bytes -> the bytes of the snapshot. gzip (any number of members), zstd (any number of frames), xz and
// bzip2 (any number of streams) are recognised by their first bytes.

#include "io/byte_buffer.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace memviz {

enum class Compression { none, gzip, zstd, xz, bzip2 };

/// Returns the compression, recognised by the first six bytes.
[[nodiscard]] Compression compression_of(std::string_view bytes);

/// "gzip", "zstd", "xz", "bzip2"; "" for none
[[nodiscard]] std::string_view compression_name(Compression compression);

/// A source of the compressed bytes, piece by piece, each valid until the next one is requested; an empty one at the
/// end.
using NextPiece = std::function<std::string_view()>;

/// Limits `buffer` to what `compressed_bytes` can plausibly expand to. Real snapshots shrink to a fifth to a fortieth,
/// generated ones to less than a hundredth: a file that expands more than a thousand times was made to fill memory.
void limit_growth(ByteBuffer& buffer, std::uint64_t compressed_bytes);

/// Decompress the pieces into `buffer`. Throw Error for data that is damaged or truncated, std::bad_alloc, and the
/// exceptions of the buffer.
void decompress(Compression compression, const NextPiece& next_piece, ByteBuffer& buffer);
void decompress_gzip(const NextPiece& next_piece, ByteBuffer& buffer);
void decompress_zstd(const NextPiece& next_piece, ByteBuffer& buffer);
void decompress_xz(const NextPiece& next_piece, ByteBuffer& buffer);
void decompress_bzip2(const NextPiece& next_piece, ByteBuffer& buffer);

} // namespace memviz
