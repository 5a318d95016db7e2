#pragma once

// The command line of one sub-command: a table of options, each with a function that reads its value.

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::capture::program {

/// Exit code 2; the message is ready to print.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Option {
  std::string_view name;  ///< "--batch", or "-o"
  std::string_view value; ///< what the help calls its value: "N"
  std::string_view help;
  std::function<void(std::string_view)> read; ///< throws UsageError, without the option's name
};

/// An option whose value is a whole number from 1 to `max`.
[[nodiscard]] Option count_option(std::string_view name, std::int64_t& target, std::int64_t max, std::string_view help);
/// An option whose value is one of `choices`.
[[nodiscard]] Option choice_option(std::string_view name, std::string& target, std::vector<std::string_view> choices,
                                   std::string_view help);
[[nodiscard]] Option text_option(std::string_view name, std::string_view value, std::string& target,
                                 std::string_view help);

/// Reads "--name VALUE" and "--name=VALUE", in any order, the last one of a name wins. False when --help is among them.
/// Throws UsageError that names the option, or the one that was probably meant.
[[nodiscard]] bool parse_options(std::span<const std::string_view> arguments, const std::vector<Option>& options);

/// One aligned line an option.
[[nodiscard]] std::string help_of(const std::vector<Option>& options);

/// "; did you mean '--batch'?", or nothing when no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

/// "relu, gelu or tanh"
[[nodiscard]] std::string listed(const std::vector<std::string_view>& names);

} // namespace memviz::capture::program
