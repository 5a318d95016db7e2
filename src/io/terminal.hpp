#pragma once

// Standard error and standard output, where somebody looks at them. The one place that asks about terminals, for POSIX.

#include <cstddef>
#include <optional>

namespace memviz {

/// Columns of the terminal that standard error is, at this moment; nothing where it is none, or one that cannot erase a
/// line (TERM is dumb or not set).
[[nodiscard]] std::optional<std::size_t> error_terminal_columns();
/// Columns of the terminal that standard output is; nothing where it is none, or does not say.
[[nodiscard]] std::optional<std::size_t> output_terminal_columns();

} // namespace memviz
