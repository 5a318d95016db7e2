#pragma once

// Bytes from a file -> text that every output can carry.

#include <string>
#include <string_view>

namespace memviz {

[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

/// `bytes` with U+FFFD in the place of everything that is not UTF-8: stray bytes, overlong forms, and the surrogates
/// that Python's pickle writes with `surrogatepass`.
[[nodiscard]] std::string to_valid_utf8(std::string_view bytes);

} // namespace memviz
