#pragma once

// The words of a command line -> options and operands, for the options that one command has.

#include "memviz/redact.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::cli {

struct Option {
  std::string_view name;  ///< without the dashes
  char letter = '\0';     ///< of the short form, if it has one
  std::string_view value; ///< what stands for the value in the help; "" for an option without one
  std::string text;       ///< one sentence or two for the help
  bool may_repeat = false;
};

class Arguments {
public:
  Arguments(std::vector<std::string> operands, std::map<std::string, std::vector<std::string>, std::less<>> values)
      : operands_(std::move(operands)), values_(std::move(values)) {}

  [[nodiscard]] const std::vector<std::string>& operands() const noexcept { return operands_; }
  [[nodiscard]] bool has(std::string_view option) const { return values_.find(option) != values_.end(); }
  [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
  /// Of an option that may be repeated, in the order of the command line.
  [[nodiscard]] std::vector<std::string> all(std::string_view option) const;

  /// The same options with other operands.
  [[nodiscard]] Arguments with_operands(std::vector<std::string> operands) const {
    return {std::move(operands), values_};
  }

  /// What hides the texts of this run's snapshots, or null.
  [[nodiscard]] Redactor* redactor() const noexcept { return redactor_.get(); }
  void set_redactor(std::shared_ptr<Redactor> redactor) { redactor_ = std::move(redactor); }

private:
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_; ///< none is empty
  std::shared_ptr<Redactor> redactor_;
};

/// Throws UsageError for an option that is unknown (with the nearest known one), given twice (unless it may be), or
/// without its value.
[[nodiscard]] Arguments parse_arguments(const std::vector<std::string>& words, const std::vector<Option>& options);

} // namespace memviz::cli
