#pragma once

// Path -> bytes. Files are mapped, not copied; standard input and compressed files are read into memory.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace memviz {

/// The bytes of one input, alive as long as this object; moving it does not move the bytes.
class Input {
public:
  /// Owns whatever keeps `bytes` valid: a mapping or a buffer.
  Input(std::shared_ptr<const void> owner, std::string_view bytes) : owner_(std::move(owner)), bytes_(bytes) {}

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

private:
  std::shared_ptr<const void> owner_;
  std::string_view bytes_;
};

/// Reads `path`; `-` is standard input. gzip and zstd are recognised by their first bytes, not by the name, and
/// decompressed. Throws Error, with a message that does not name the path: missing file, directory, no permission,
/// damaged or truncated compression, or more than `max_bytes` decompressed bytes.
[[nodiscard]] Input read_input(const std::string& path, std::size_t max_bytes = std::size_t{1} << 40U);

} // namespace memviz
