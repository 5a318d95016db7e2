#pragma once

// Another program -> what it makes of our bytes. The one place that starts programs, for POSIX; no shell is involved.

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Whether a program of this name is on the PATH.
[[nodiscard]] bool has_program(const std::string& name);

/// Standard output of the program `words[0]`, looked for on the PATH, that gets `input` on standard input. Throws
/// Error, with the first line of its standard error, when it cannot be started or fails.
[[nodiscard]] std::string output_of(const std::vector<std::string>& words, std::string_view input);

} // namespace memviz
