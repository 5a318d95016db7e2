#pragma once

// Where a command that answers in text, in JSON or in both writes them: -o and --json.

#include "cli/arguments.hpp"
#include "cli/files.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memviz::cli {

/// Columns of a text on standard output: as wide as the terminal, but no wider than is good to read.
[[nodiscard]] std::size_t text_columns();

class TextOutputs {
public:
  /// Throws what check_output_file() throws.
  explicit TextOutputs(const Arguments& arguments);

  [[nodiscard]] static std::vector<Option> options();

  /// Writes what was asked for; without -o and --json the text goes to standard output. `text` and `json` make a
  /// string, and are called only where it is wanted. Both are looked through for what --redact hides before the first
  /// is written.
  template <class Text, class Json> void write(const Arguments& arguments, Text text, Json json) const {
    const std::string for_programs = json_ ? json() : std::string();
    const std::string for_people = text_ || !json_ ? text() : std::string();
    check_redacted(arguments, for_people);
    if (json_) write_output(arguments, *json_, for_programs);
    if (text_ || !json_) write_output(arguments, text_.value_or("-"), for_people);
  }

private:
  std::optional<std::string> text_;
  std::optional<std::string> json_;
};

} // namespace memviz::cli
