#include "io/decompress.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace memviz {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kXzMagic{"\xfd"
                                    "7zXZ\0",
                                    6};
constexpr std::string_view kBzip2Magic = "BZh";

/// A skippable frame, with which files of pzstd and others begin: 0x184D2A50 to 0x184D2A5F, lowest byte first.
bool is_skippable_frame(std::string_view bytes) {
  constexpr std::string_view kRest = "\x2a\x4d\x18";
  return bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xF0U) == 0x50U && bytes.substr(1, 3) == kRest;
}

/// The fourth byte is the size of blocks, '1' to '9'.
bool is_bzip2(std::string_view bytes) {
  return bytes.size() >= 4 && bytes.starts_with(kBzip2Magic) && bytes[3] >= '1' && bytes[3] <= '9';
}

} // namespace

Compression compression_of(std::string_view bytes) {
  if (bytes.starts_with(kGzipMagic)) return Compression::gzip;
  if (bytes.starts_with(kZstdMagic) || is_skippable_frame(bytes)) return Compression::zstd;
  if (bytes.starts_with(kXzMagic)) return Compression::xz;
  if (is_bzip2(bytes)) return Compression::bzip2;
  return Compression::none;
}

std::string_view compression_name(Compression compression) {
  switch (compression) {
  case Compression::none: return "";
  case Compression::gzip: return "gzip";
  case Compression::zstd: return "zstd";
  case Compression::xz: return "xz";
  case Compression::bzip2: return "bzip2";
  }
  return "";
}

void limit_growth(ByteBuffer& buffer, std::uint64_t compressed_bytes) {
  constexpr std::uint64_t kMostGrowth = 1000;
  constexpr std::size_t kAlways = std::size_t{64} << 20U;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  constexpr std::uint64_t kAddressable = std::numeric_limits<std::size_t>::max() - kAlways;
  const std::uint64_t grown_bytes = std::min(compressed_bytes, kMost / kMostGrowth) * kMostGrowth;
  buffer.limit(kAlways + static_cast<std::size_t>(std::min(grown_bytes, kAddressable)),
               "over " + std::to_string(kMostGrowth) +
                   " times its compressed size: if that is meant, decompress it first (zcat, zstdcat, xzcat, bzcat)");
}

void decompress(Compression compression, const NextPiece& next_piece, ByteBuffer& buffer) {
  switch (compression) {
  case Compression::none: return;
  case Compression::gzip: return decompress_gzip(next_piece, buffer);
  case Compression::zstd: return decompress_zstd(next_piece, buffer);
  case Compression::xz: return decompress_xz(next_piece, buffer);
  case Compression::bzip2: return decompress_bzip2(next_piece, buffer);
  }
}

} // namespace memviz
