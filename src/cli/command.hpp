#pragma once

// What the command line knows of a command; each one's file makes its own.

#include "cli/arguments.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace memviz::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kBadData = 1;
inline constexpr int kBadUsage = 2;
inline constexpr int kOverThreshold = 3;

struct Command {
  std::string_view name;
  std::string_view operands; ///< as in "memviz NAME OPERANDS"
  std::size_t operand_count = 1;
  std::string_view summary; ///< half a line, for the list of commands
  std::string_view text;    ///< what it does, for its own help
  std::string_view examples;
  std::vector<Option> options;
  int (*run)(const Arguments& arguments) = nullptr; ///< returns the exit code
  bool takes_program = false; ///< the operands are a program and its arguments, all that stands behind --
};

[[nodiscard]] Command flame_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command state_command();
[[nodiscard]] Command stats_command();
[[nodiscard]] Command export_command();
[[nodiscard]] Command timeline_command();
[[nodiscard]] Command trace_command();
[[nodiscard]] Command leaks_command();
[[nodiscard]] Command check_command();
[[nodiscard]] Command explain_command();
[[nodiscard]] Command rehearse_command();

/// All of them, in the order of the help.
[[nodiscard]] const std::vector<Command>& commands();

} // namespace memviz::cli
