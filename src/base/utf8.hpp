#pragma once

// Bytes from a file -> text that every output can contain, and its characters.

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// A character, or U+FFFD if is_valid is false.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1; ///< its length in bytes
  bool is_valid = false;
};

/// Returns the first character of `text`, which is not empty. A stray byte and each byte of an overlong form are
/// invalid, and so is, as one character, a surrogate, which Python's pickle writes with `surrogatepass`.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

/// Returns `bytes` with U+FFFD in place of everything invalid.
[[nodiscard]] std::string to_valid_utf8(std::string_view bytes);

/// Returns `text` without the character that a cut at its end left incomplete; valid UTF-8 if it was before the cut.
[[nodiscard]] std::string_view whole_characters(std::string_view text);

/// Returns the first, or the last, characters of valid UTF-8: at most `most_bytes` of it.
[[nodiscard]] std::string_view beginning_of(std::string_view text, std::size_t most_bytes);
[[nodiscard]] std::string_view end_of(std::string_view text, std::size_t most_bytes);

/// Whether it is inside a character, not at its beginning.
[[nodiscard]] inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Whether it is all printable ASCII: almost every text is, and needs no check of each character.
[[nodiscard]] bool is_plain_ascii(std::string_view text);

} // namespace memviz
