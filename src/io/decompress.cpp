#include "io/decompress.hpp"

namespace memviz {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

} // namespace

Compression compression_of(std::string_view bytes) {
  if (bytes.starts_with(kGzipMagic)) return Compression::gzip;
  if (bytes.starts_with(kZstdMagic)) return Compression::zstd;
  return Compression::none;
}

} // namespace memviz
