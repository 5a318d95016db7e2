#pragma once

// Sentences -> lines of a terminal.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// Returns printable `text`, wrapped between words so that no line is longer than `columns` characters (a longer word
/// gets a separate line); the first line begins with `first`, the others with as many spaces. Ends in a newline.
[[nodiscard]] std::string wrapped_text(std::string_view text, std::string_view first, std::size_t columns = 100);

/// Returns an empty line, a line with `title` unless that is empty, and each sentence of a list that is not empty as
/// wrapped_text(); "" if the list has none.
[[nodiscard]] std::string wrapped_list(std::string_view title, std::span<const std::string> sentences,
                                       std::string_view first, std::size_t columns);

} // namespace memviz
