#pragma once

// A character -> what an output must know about it: whether it may be shown, and how wide it is on a terminal.

#include <cstddef>

namespace memviz {

/// Whether a character from a file could do more than be read: controls, ends of lines and paragraphs, marks and
/// controls of direction, tags, invisible characters, and code points that are not characters. Excludes the joiners,
/// which Persian, the scripts of India and emoji need.
[[nodiscard]] bool is_unsafe(char32_t point);

/// Returns the columns on a terminal, by the rule of wcwidth(): 2 for wide East Asian characters, 0 for those that
/// combine with the previous one, else 1. Also 1 for unsafe ones, which are replaced.
[[nodiscard]] std::size_t terminal_columns(char32_t point);

} // namespace memviz
