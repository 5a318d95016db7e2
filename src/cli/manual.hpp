#pragma once

// Commands and their options -> manual pages, in the macros of man(7).

#include "cli/frame/command.hpp"

#include <string>

namespace memviz::cli {

/// memviz(1).
[[nodiscard]] std::string general_manual();
/// memviz-NAME(1).
[[nodiscard]] std::string command_manual(const Command& command);

} // namespace memviz::cli
