#pragma once

// A command line being typed -> its possible continuations, and the scripts by which shells ask for them. Each script
// calls `memviz complete -- WORDS`, so all offers come from the tables of options.

#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

/// Returns the first words of a help text, for a list of options.
[[nodiscard]] std::string brief(std::string_view text);

/// Returns what the last of `words` (those after "memviz") may become: a line WORD, TAB, TEXT for each offer, then a
/// line that begins with a colon: ":words" (no others), ":begun" (an offer can be continued), ":files PATTERN",
/// ":folders", or ":program".
[[nodiscard]] std::string completions(const std::vector<std::string>& words);

/// Returns the script for "bash", "zsh" or "fish". Throws UsageError for another shell.
[[nodiscard]] std::string completion_script(std::string_view shell);

} // namespace memviz::cli
