#pragma once

// Bytes from a file -> text that every output can carry.

#include <string>
#include <string_view>

namespace memviz {

[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

/// `bytes` with U+FFFD in the place of everything that is not UTF-8: stray bytes, overlong forms, and, each as one,
/// the surrogates that Python's pickle writes with `surrogatepass`.
[[nodiscard]] std::string to_valid_utf8(std::string_view bytes);

/// `text` without the character that a cut at its end left incomplete; valid UTF-8 if it was before the cut.
[[nodiscard]] std::string_view whole_characters(std::string_view text);

} // namespace memviz
