#pragma once

// Commands and their options -> help texts, at most 80 columns wide.

#include "cli/command.hpp"

#include <string>

namespace memviz::cli {

[[nodiscard]] std::string short_usage();
[[nodiscard]] std::string general_help();
[[nodiscard]] std::string command_help(const Command& command);

} // namespace memviz::cli
