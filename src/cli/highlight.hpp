#pragma once

// Texts for people -> the same with colours for a terminal: headings, verdicts, warnings, and what grew or shrank. The
// library's texts know nothing of it: the shape of a line and a few words decide what is coloured. In pipes and
// files, with NO_COLOR, and where TERM is dumb, texts stay as they are.

#include <string>
#include <string_view>

namespace memviz::cli {

/// Returns `text` with the escape sequences of ECMA-48.
[[nodiscard]] std::string highlighted(std::string_view text);

/// `text` for standard output: highlighted() where that is a terminal that takes colours.
[[nodiscard]] std::string for_output(const std::string& text);
/// The same for a message on standard error.
[[nodiscard]] std::string for_messages(const std::string& text);

} // namespace memviz::cli
