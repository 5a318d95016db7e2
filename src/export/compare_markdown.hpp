#pragma once

// A comparison -> Markdown for a pull request: a verdict, the three figures, and what grew and shrank. Texts of a
// snapshot are a stranger's: they stand in code spans, where nothing is markup, and no bot that reads the plain text
// finds a command or a mention in them.

#include "export/compare_report.hpp"

#include <string>
#include <string_view>

namespace memviz {

[[nodiscard]] std::string compare_markdown(const CompareReport& report);

/// `text` as a code span that can stand in a table: on one line, of at most `columns` characters.
[[nodiscard]] std::string code_span(std::string_view text, std::size_t columns);

} // namespace memviz
