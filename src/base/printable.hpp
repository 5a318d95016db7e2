#pragma once

// Text from a snapshot -> text that is safe to show on a terminal, in a file and in the log of a job. Names may contain
// escape sequences or newlines that would rewrite the screen or forge a line, marks that reverse the text around them,
// or commands of a continuous-integration system.

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// Returns `text` on one line, with a space in place of each is_unsafe() character and U+FFFD for bytes that are not
/// UTF-8.
[[nodiscard]] std::string safe_line(std::string_view text);

/// Returns safe_line() of `text`, with log commands broken up (log_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// Returns printable text of at most `columns` columns: the middle of a longer one becomes "...", because names differ
/// most at their ends. Keeps as many combining characters as a script could need.
[[nodiscard]] std::string elided(std::string_view text, std::size_t columns);

/// Returns the columns that `text` takes on a terminal, once it is printable.
[[nodiscard]] std::size_t column_count(std::string_view text);

} // namespace memviz
