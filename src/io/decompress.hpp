#pragma once

// Compressed bytes -> the bytes of the snapshot. gzip (any number of members) and zstd (any number of frames) are
// recognised by their first bytes.

#include "memviz/input.hpp"

#include <cstddef>
#include <string_view>

namespace memviz {

enum class Compression { none, gzip, zstd };

[[nodiscard]] Compression compression_of(std::string_view bytes);

/// Decompresses into memory, at most `max_bytes`. Throws Error for data that is damaged, cut short or larger.
[[nodiscard]] Input decompress_gzip(std::string_view bytes, std::size_t max_bytes);
[[nodiscard]] Input decompress_zstd(std::string_view bytes, std::size_t max_bytes);

} // namespace memviz
