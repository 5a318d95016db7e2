#include "memviz/input.hpp"

#include "io/decompress.hpp"
#include "io/file_bytes.hpp"

#include <algorithm>

namespace memviz {

Input read_input(const std::string& path, std::size_t max_bytes) {
  const std::size_t limit = std::min(max_bytes, main_memory_bytes());
  Input input = read_file_bytes(path, limit);
  switch (compression_of(input.bytes())) {
  case Compression::gzip: return decompress_gzip(input.bytes(), limit);
  case Compression::zstd: return decompress_zstd(input.bytes(), limit);
  case Compression::none: break;
  }
  return input;
}

} // namespace memviz
