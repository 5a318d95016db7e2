#pragma once

// Text from a snapshot -> text that is safe to show, on a terminal, in a file and in the log of a job. Names may hold
// escape sequences or newlines that would rewrite the screen or forge a line, marks that turn the text around them, or
// what a continuous-integration system takes for a command.

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// `text` on one line, with a space instead of each character that is_unsafe() and U+FFFD for what is not UTF-8.
[[nodiscard]] std::string safe_line(std::string_view text);

/// safe_line() of `text`, and log commands broken up (log_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// Printable text of at most `columns` columns: the middle of a longer one becomes "...", because names differ most at
/// their ends. Of what combines with other characters as much is kept as a script could need.
[[nodiscard]] std::string elided(std::string_view text, std::size_t columns);

/// Columns that `text` takes on a terminal, once it is printable.
[[nodiscard]] std::size_t column_count(std::string_view text);

} // namespace memviz
