#pragma once

// Words of memviz's own outputs that look like somebody's names: a function called `total_bytes` is no leak.

#include <string_view>

namespace memviz {

/// All of them, separated by spaces.
[[nodiscard]] std::string_view own_words();

} // namespace memviz
