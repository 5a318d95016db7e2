#pragma once

// A comparison -> a summary for people, Markdown for a pull request, and JSON for programs, all with the names of its
// sides and what became of its limit.

#include "memviz/compare_words.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// Returns the growth over the whole recording, device by device, and at the compared moment the totals of both sides
/// and the lines of code that changed most.
[[nodiscard]] std::string compare_text(const CompareReport& report);

/// Everything that the text says, and all lines that changed.
[[nodiscard]] std::string compare_json(const CompareReport& report);

/// A verdict, the three figures, and what grew and shrank. Texts of a snapshot are a stranger's: they are in code
/// spans, where nothing is markup, and no bot that reads the plain text finds a command or a mention in them.
[[nodiscard]] std::string compare_markdown(const CompareReport& report);

/// `text` as a code span that can be in a table of Markdown: on one line, of at most `columns` characters.
[[nodiscard]] std::string code_span(std::string_view text, std::size_t columns);

} // namespace memviz
