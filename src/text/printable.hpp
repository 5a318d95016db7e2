#pragma once

// Text from a snapshot -> text that is safe on a terminal and in the log of a job. Names may hold escape sequences or
// newlines that would rewrite the screen or forge a line, or what a continuous-integration system takes for a command.

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// `text`, valid UTF-8, with a space in the place of each control character (C0, DEL, C1), line separator and mark
/// that turns the direction of text, and log commands broken up (log_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// Length in bytes of the character that `text`, which is not empty, begins with, if printable() replaces it; else 0.
[[nodiscard]] std::size_t control_length(std::string_view text);

/// Printable text of at most `columns` characters: the middle of a longer one becomes "...", because names differ most
/// at their ends.
[[nodiscard]] std::string elided(std::string_view text, std::size_t columns);

/// Characters, not bytes, of valid UTF-8.
[[nodiscard]] std::size_t column_count(std::string_view text);

} // namespace memviz
