#pragma once

// A character -> what an output must know of it: whether it may be shown, and how much room it takes on a terminal.

#include <cstddef>

namespace memviz {

/// Whether a character from a file could do more than be read: controls, ends of lines and paragraphs, marks and
/// controls of direction, tags, characters that no one sees, and what is not a character. Not the joiners, which
/// Persian, the scripts of India and emoji need.
[[nodiscard]] bool is_unsafe(char32_t point);

/// Columns of a terminal, by the rule of wcwidth(): 2 for what East Asia writes wide, 0 for what combines with the
/// character before it, else 1; also of what is unsafe, because something else is shown in its place.
[[nodiscard]] std::size_t terminal_columns(char32_t point);

} // namespace memviz
