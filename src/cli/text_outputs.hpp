#pragma once

// Where a command that answers in text, in JSON or in both writes them: -o and --json.

#include "cli/outputs.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace memviz::cli {

/// Columns of a text on standard output: as wide as the terminal, but no wider than is good to read.
[[nodiscard]] std::size_t text_columns();

struct TextOutputs {
  std::optional<std::string> text;
  std::optional<std::string> json;

  [[nodiscard]] static OptionList<TextOutputs> options();
  /// Throws what check_outputs() throws.
  void check(const CommandOptions& options) const { check_outputs(options, {{"-o", text}, {"--json", json}}); }

  /// Writes what was asked for; without -o and --json the text goes to standard output. `make_text` and `make_json`
  /// make a string, and are called only where it is wanted. Both are looked through for what --redact hides before the
  /// first is written.
  template <class Text, class Json> void write(const FileOptions& file, Text make_text, Json make_json) const {
    const std::string for_programs = json ? make_json() : std::string();
    const std::string for_people = text || !json ? make_text() : std::string();
    check_redacted(file, for_people);
    if (json) write_output(file, *json, for_programs);
    if (text || !json) write_output(file, text.value_or("-"), for_people);
  }
};

} // namespace memviz::cli
