#pragma once

// Commands and their options -> scripts by which shells complete them. Which words a value may have stands in the
// tables of options; what is called FILE or DIR there is a path.

#include "cli/option.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::cli {

/// What completes the value of an option.
enum class ValueKind : std::uint8_t {
  none,  ///< the option has no value
  text,  ///< nothing that a shell knows
  words, ///< one of OptionText::words, or what begins with it
  list,  ///< several of them, with commas between
  files,
  folders,
};
[[nodiscard]] ValueKind value_kind(const OptionText& option);

/// The first words of a help text, for a list beside the options.
[[nodiscard]] std::string brief(std::string_view text);

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

/// For "bash", "zsh" or "fish". Throws UsageError for another shell.
[[nodiscard]] std::string completion_script(std::string_view shell);

} // namespace memviz::cli
