#pragma once

// Another program -> its output for our bytes. The only code that starts programs, for POSIX; no shell is involved.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Whether a program of this name is in PATH, or can be run at this path.
[[nodiscard]] bool has_program(const std::string& name);

/// Returns the path of the running program's own file. Throws Error where /proc is missing.
[[nodiscard]] std::filesystem::path own_file();

/// Returns the standard output of the program `words[0]`, searched for in PATH, given `input` on standard input. Throws
/// Error, with the first line of its standard error, if it cannot be started or fails.
[[nodiscard]] std::string output_of(const std::vector<std::string>& words, std::string_view input);

/// Returns what the program prints to both of its streams, whether it succeeds or not, given nothing on standard
/// input. It does not receive the signals of the terminal and is never ended: a debugger would leave another program in
/// the middle of a call. Calls `notify` once if it takes longer than `seconds`. Throws Error if it cannot be started.
[[nodiscard]] std::string output_apart(const std::vector<std::string>& words, double seconds,
                                       const std::function<void()>& notify);

} // namespace memviz
