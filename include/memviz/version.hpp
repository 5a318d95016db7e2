#pragma once

// The version of memviz.

#include <string_view>

namespace memviz {

/// "0.2.0": named by outputs in addition to their schema, and by pictures.
[[nodiscard]] std::string_view version();

/// "2026-11-23": the date of the manual pages.
[[nodiscard]] std::string_view release_date();

} // namespace memviz
