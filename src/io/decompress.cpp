#include "io/decompress.hpp"

namespace memviz {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// A skippable frame, with which pzstd and others begin their files: 0x184D2A50 to 0x184D2A5F, lowest byte first.
bool is_skippable_frame(std::string_view bytes) {
  constexpr std::string_view kRest = "\x2a\x4d\x18";
  return bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xF0U) == 0x50U && bytes.substr(1, 3) == kRest;
}

} // namespace

Compression compression_of(std::string_view bytes) {
  if (bytes.starts_with(kGzipMagic)) return Compression::gzip;
  if (bytes.starts_with(kZstdMagic) || is_skippable_frame(bytes)) return Compression::zstd;
  return Compression::none;
}

} // namespace memviz
