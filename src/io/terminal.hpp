#pragma once

// Standard error and standard output, where somebody looks at them. The one place that asks about terminals, for POSIX.

#include <cstddef>
#include <optional>

namespace memviz {

/// Columns of the terminal that standard error is, at this moment; nothing where it is none, or one that cannot erase a
/// line (TERM is dumb or not set).
[[nodiscard]] std::optional<std::size_t> error_terminal_columns();
[[nodiscard]] bool output_is_terminal();
[[nodiscard]] bool error_is_terminal();
/// Whether standard output and standard error are the same terminal, file or pipe, so that a reader has both.
[[nodiscard]] bool output_and_error_are_one();
/// Columns of the terminal that standard output is; nothing where it is none, or does not say.
[[nodiscard]] std::optional<std::size_t> output_terminal_columns();

/// Whether standard output, or standard error, is a terminal that takes colours and no one refuses them: TERM is not
/// dumb, and NO_COLOR is not set, or empty (no-color.org).
[[nodiscard]] bool output_takes_color();
[[nodiscard]] bool error_takes_color();

} // namespace memviz
