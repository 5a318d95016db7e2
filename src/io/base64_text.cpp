#include "io/base64_text.hpp"

#include "base/base64.hpp"
#include "memviz/error.hpp"

#include <array>
#include <cstdint>
#include <fmt/format.h>

namespace memviz {

namespace {

constexpr std::uint8_t kNoLetter = 64;
constexpr std::uint8_t kWhiteSpace = 65;

constexpr std::array<std::uint8_t, 256> letter_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoLetter);
  for (std::size_t i = 0; i < kBase64Letters.size(); ++i)
    values[static_cast<unsigned char>(kBase64Letters[i])] = static_cast<std::uint8_t>(i);
  for (const char c : {' ', '\t', '\r', '\n'})
    values[static_cast<unsigned char>(c)] = kWhiteSpace;
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = letter_values();

/// Bits that become bytes as soon as there are eight.
class Base64Bits {
public:
  /// Whether a byte is complete with these six bits.
  bool add(std::uint8_t six_bits) {
    bits_ = bits_ << 6U | six_bits;
    count_ += 6;
    return count_ >= 8;
  }
  char take() {
    count_ -= 8;
    return static_cast<char>(bits_ >> count_ & 0xFFU);
  }

private:
  std::uint32_t bits_ = 0;
  unsigned count_ = 0;
};

} // namespace

std::string base64_head(std::string_view text) {
  constexpr std::size_t kHeadBytes = 12;
  Base64Bits bits;
  std::string head;
  for (const char c : text.substr(0, 64)) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kWhiteSpace) continue;
    if (value == kNoLetter) return c == '=' ? head : "";
    if (bits.add(value)) head += bits.take();
    if (head.size() == kHeadBytes) break;
  }
  return head;
}

void decode_base64(std::string_view text, ByteBuffer& buffer) {
  Base64Bits bits;
  auto room = buffer.room();
  std::size_t used = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != '='; ++at) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(text[at])];
    if (value == kWhiteSpace) continue;
    if (value == kNoLetter)
      throw ParseError(at, fmt::format("expected base64, found byte {:#04x}", static_cast<unsigned char>(text[at])));
    if (!bits.add(value)) continue;
    room[used++] = bits.take();
    if (used < room.size()) continue;
    buffer.add(used);
    room = buffer.room();
    used = 0;
  }
  buffer.add(used);
  const std::size_t junk = text.find_first_not_of("= \t\r\n", at);
  if (junk != std::string_view::npos) {
    throw ParseError(junk, fmt::format("expected the end of the base64 after its '=', found byte {:#04x}",
                                       static_cast<unsigned char>(text[junk])));
  }
}

} // namespace memviz
