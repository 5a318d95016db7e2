#include "memviz/input.hpp"

#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace memviz {

namespace {

class Text final : public InputStorage {
public:
  explicit Text(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::string_view bytes() const noexcept override { return bytes_; }

private:
  std::string bytes_;
};

/// Returns the size that ends the last member of gzip, modulo 2^32.
std::uint32_t last_size(std::string_view gzip) {
  constexpr std::size_t kBytes = 4;
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < kBytes && gzip.size() >= kBytes; ++i)
    size |= std::uint32_t{static_cast<std::uint8_t>(gzip[gzip.size() - kBytes + i])} << (8 * i);
  return size;
}

} // namespace

Input input_of(std::string bytes) {
  return Input(std::make_unique<Text>(std::move(bytes)));
}

Input unpacked(Input stored, const InputOptions& options) {
  const std::string_view bytes = stored.bytes();
  const Compression compression = compression_of(bytes);
  if (compression == Compression::none) return stored;
  ByteBuffer buffer(options.max_bytes, options.check_head);
  limit_growth(buffer, bytes.size());
  if (compression == Compression::gzip) buffer.expect(last_size(bytes));
  decompress(
      compression, [rest = bytes]() mutable { return std::exchange(rest, {}); }, buffer);
  return std::move(buffer).into_input();
}

} // namespace memviz
