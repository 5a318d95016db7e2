#pragma once

// A command line that is being typed -> what may follow, and the scripts by which shells ask for it. Each script calls
// `memviz complete -- WORDS`, so that what is offered follows from the tables of options and nothing else.

#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

/// The first words of a help text, for a list of options.
[[nodiscard]] std::string brief(std::string_view text);

/// Returns what the last of `words` (those after "memviz") may become: a line WORD, TAB, TEXT for each offer, then a
/// line that begins with a colon: ":words" (no more than these), ":begun" (an offer goes on after itself), ":files
/// PATTERN",
/// ":folders", or ":program".
[[nodiscard]] std::string completions(const std::vector<std::string>& words);

/// Returns the script for "bash", "zsh" or "fish". Throws UsageError for another shell.
[[nodiscard]] std::string completion_script(std::string_view shell);

} // namespace memviz::cli
