#pragma once

// Words of memviz's own outputs: a function called `total_bytes` or `step` is no leak. Made at build time from the
// string literals of what writes them, see own_words.cmake.

#include <string_view>

namespace memviz {

/// All of them, one a line.
[[nodiscard]] std::string_view own_words();

} // namespace memviz
