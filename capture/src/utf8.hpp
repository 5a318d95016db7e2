#pragma once

// Texts of a program -> UTF-8: Python cannot read a pickle with any other text.

#include <string>
#include <string_view>

namespace memviz::capture {

/// Returns `text` itself if it is UTF-8; else with U+FFFD for each byte that is not part of a code point.
[[nodiscard]] std::string to_utf8(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);

} // namespace memviz::capture
