#include "base/utf8.hpp"

#include <algorithm>

namespace memviz {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

/// Returns the length of the well-formed sequence at the beginning of `bytes`, 0 if there is none (Unicode 15, table
/// 3-7).
std::size_t sequence_length(std::string_view bytes) {
  const unsigned lead = byte_at(bytes, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes.size() < length) return 0;
  const unsigned second_low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned second_high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  const unsigned second = byte_at(bytes, 1);
  if (second < second_low || second > second_high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!is_continuation(bytes[i])) return 0;
  return length;
}

/// Whether it is half of a surrogate pair, encoded like a character.
bool is_surrogate(std::string_view bytes) {
  return bytes.size() >= 3 && byte_at(bytes, 0) == 0xED && byte_at(bytes, 1) >= 0xA0 && byte_at(bytes, 1) <= 0xBF &&
         is_continuation(bytes[2]);
}

} // namespace

CodePoint first_code_point(std::string_view text) {
  const std::size_t length = sequence_length(text);
  if (length == 0) return {0, is_surrogate(text) ? 3U : 1U, false};
  if (length == 1) return {static_cast<unsigned char>(text[0]), 1, true};
  char32_t value = byte_at(text, 0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    value = (value << 6U) | (byte_at(text, i) & 0x3FU);
  return {value, length, true};
}

bool is_valid_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const CodePoint point = first_code_point(bytes);
    text += point.is_valid ? bytes.substr(0, point.bytes) : kReplacement;
    bytes.remove_prefix(point.bytes);
  }
  return text;
}

std::string_view whole_characters(std::string_view text) {
  std::size_t tail = 0;
  while (tail < 3 && tail < text.size() && is_continuation(text[text.size() - tail - 1]))
    ++tail;
  if (tail == text.size()) return text;
  const unsigned lead = byte_at(text, text.size() - tail - 1);
  const std::size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  return tail < wanted ? text.substr(0, text.size() - tail - 1) : text;
}

std::string_view beginning_of(std::string_view text, std::size_t most_bytes) {
  return text.size() <= most_bytes ? text : whole_characters(text.substr(0, most_bytes));
}

std::string_view end_of(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  text.remove_prefix(text.size() - most_bytes);
  const auto begin = std::ranges::find_if_not(text, is_continuation);
  return text.substr(static_cast<std::size_t>(begin - text.begin()));
}

bool is_plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char byte) { return byte >= 0x20 && byte < 0x7F; });
}

} // namespace memviz
