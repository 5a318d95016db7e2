#pragma once

// Texts for people -> the same with colours for a terminal: headings, verdicts, warnings, and what grew or shrank. The
// library's texts have no markup: the form of a line and a few words decide the colours. In pipes and files, with
// NO_COLOR, and if TERM is dumb, texts are unchanged.

#include <string>
#include <string_view>

namespace memviz::cli {

/// Returns `text` with the escape sequences of ECMA-48.
[[nodiscard]] std::string highlighted(std::string_view text);

/// Returns `text` for standard output: highlighted() if that is a terminal with colours.
[[nodiscard]] std::string for_output(const std::string& text);
/// Returns the same for a message on standard error.
[[nodiscard]] std::string for_messages(const std::string& text);

} // namespace memviz::cli
