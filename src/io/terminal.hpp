#pragma once

// Standard error, where somebody looks at it. The one place that asks about terminals, for POSIX.

#include <cstddef>
#include <optional>

namespace memviz {

/// Columns of the terminal that standard error is, at this moment; nothing where it is none, or one that cannot erase a
/// line (TERM is dumb or not set).
[[nodiscard]] std::optional<std::size_t> error_terminal_columns();

} // namespace memviz
