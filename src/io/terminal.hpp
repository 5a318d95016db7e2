#pragma once

// Standard error and standard output, if they are terminals. The only code that queries terminals, for POSIX.

#include <cstddef>
#include <optional>

namespace memviz {

/// Returns the current columns of standard error's terminal; nullopt if it is not a terminal, or one that cannot erase
/// a line (TERM is dumb or not set).
[[nodiscard]] std::optional<std::size_t> error_terminal_columns();
[[nodiscard]] bool output_is_terminal();
[[nodiscard]] bool error_is_terminal();
/// Whether standard output and standard error are the same terminal, file or pipe, so that a reader sees both.
[[nodiscard]] bool output_and_error_are_one();
/// Returns the columns of standard output's terminal; nullopt if it is not a terminal, or does not report them.
[[nodiscard]] std::optional<std::size_t> output_terminal_columns();

/// Whether standard output, or standard error, is a terminal with colours, and they are not disabled: TERM is not dumb,
/// and NO_COLOR is not set, or empty (no-color.org).
[[nodiscard]] bool output_takes_color();
[[nodiscard]] bool error_takes_color();

} // namespace memviz
