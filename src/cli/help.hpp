#pragma once

// Commands and their options -> help texts, at most 80 columns wide.

#include "cli/frame/command.hpp"

#include <cstdint>
#include <string>

namespace memviz::cli {

enum class HelpExtent : std::uint8_t {
  first, ///< the options that most people need
  all,
};

[[nodiscard]] std::string short_usage();
[[nodiscard]] std::string general_help();
[[nodiscard]] std::string command_help(const Command& command, HelpExtent extent = HelpExtent::all);

} // namespace memviz::cli
