#include "text/utf8.hpp"

#include <cstddef>

namespace memviz {
namespace {

unsigned byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

/// Length of the well-formed sequence at `index`, 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view bytes, std::size_t index) {
  const unsigned lead = byte_at(bytes, index);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes.size() - index < length) return 0;
  const unsigned second_low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned second_high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  const unsigned second = byte_at(bytes, index + 1);
  if (second < second_low || second > second_high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(bytes, index + i) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

/// Half of a surrogate pair, encoded as if it were a character.
bool is_surrogate(std::string_view bytes, std::size_t index) {
  return bytes.size() - index >= 3 && byte_at(bytes, index) == 0xED && byte_at(bytes, index + 1) >= 0xA0 &&
         byte_at(bytes, index + 1) <= 0xBF && (byte_at(bytes, index + 2) & 0xC0U) == 0x80;
}

} // namespace

bool is_valid_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = sequence_length(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = sequence_length(bytes, i);
    if (length == 0) {
      text += "\xEF\xBF\xBD";
      i += is_surrogate(bytes, i) ? 3U : 1U;
    } else {
      text += bytes.substr(i, length);
      i += length;
    }
  }
  return text;
}

std::string_view whole_characters(std::string_view text) {
  const auto byte = [&](std::size_t back) { return static_cast<unsigned char>(text[text.size() - back]); };
  std::size_t tail = 0;
  while (tail < 3 && tail < text.size() && (byte(tail + 1) & 0xC0U) == 0x80U)
    ++tail;
  if (tail == text.size()) return text;
  const unsigned lead = byte(tail + 1);
  const std::size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  return tail < wanted ? text.substr(0, text.size() - tail - 1) : text;
}

} // namespace memviz
