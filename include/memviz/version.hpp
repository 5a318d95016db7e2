#pragma once

// The version of memviz.

#include <string_view>

namespace memviz {

/// "0.2.0": what outputs name besides their schema, and what pictures are signed with.
[[nodiscard]] std::string_view version();

/// "2026-11-23": of the manual pages.
[[nodiscard]] std::string_view release_date();

} // namespace memviz
