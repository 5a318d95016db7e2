#pragma once

// Text in base64 (RFC 4648, section 4) -> its bytes. Lines may end anywhere.

#include "io/byte_buffer.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Returns the first bytes that `text` stands for, at most 12; "" if its first characters are not base64.
[[nodiscard]] std::string base64_head(std::string_view text);

/// Appends the bytes to `buffer`. Throws ParseError for a character that is neither base64 nor white space, and the
/// exceptions of the buffer.
void decode_base64(std::string_view text, ByteBuffer& buffer);

} // namespace memviz
