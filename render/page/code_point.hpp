#pragma once

// Bytes -> code points, one at a time, whatever the bytes are.

#include <cstddef>
#include <string_view>

namespace memviz::render {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1; ///< how many bytes of the text it takes
  bool is_valid = false; ///< false: one byte that starts no UTF-8 sequence
};

/// The first code point of `text`, which is not empty. Overlong forms, surrogates and values past U+10FFFF are invalid.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

} // namespace memviz::render
