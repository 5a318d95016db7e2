#include "memviz/input.hpp"

#include "io/byte_buffer.hpp"
#include "io/decompress.hpp"

#include <memory>
#include <string>
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
  decompress(
      compression, [rest = bytes]() mutable { return std::exchange(rest, {}); }, buffer);
  return std::move(buffer).into_input();
}

} // namespace memviz
