#pragma once

// A comparison -> a summary for people, Markdown for a pull request, and JSON for programs, each with the names of its
// sides and the result of its limit.

#include "memviz/compare_words.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// Returns the growth over the whole recording, device by device, and at the compared moment the totals of both sides
/// and the lines of code that changed most.
[[nodiscard]] std::string compare_text(const CompareReport& report);

/// Returns everything that the text contains, and all lines that changed.
[[nodiscard]] std::string compare_json(const CompareReport& report);

/// Returns a verdict, the three figures, and the lines that grew and shrank. A snapshot's texts are untrusted: they are
/// in code spans, where markup has no effect, and bots that read the plain text find no command or mention in them.
[[nodiscard]] std::string compare_markdown(const CompareReport& report);

/// Returns `text` as a code span for a Markdown table: one line, at most `columns` characters.
[[nodiscard]] std::string code_span(std::string_view text, std::size_t columns);

} // namespace memviz
