#pragma once

// Command line -> the command that it names, which is run.

#include <string>
#include <vector>

namespace memviz::cli {

/// `words` are the arguments after the program's name. Returns the exit code; throws Error.
int run_command_line(const std::vector<std::string>& words);

} // namespace memviz::cli
