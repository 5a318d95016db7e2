#pragma once

// The outputs, -o and --json, of a command that answers in text, in JSON or in both; for one file, or for several,
// one after the other.

#include "cli/outputs.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace memviz::cli {

/// Columns of a text on standard output: as wide as the terminal, but no wider than is good to read.
[[nodiscard]] std::size_t text_columns();

/// write_output() of a text for people: on a terminal with colours.
void write_text(const FileOptions& file, const std::string& path, const std::string& text);

struct TextOutputs {
  std::optional<std::string> text;
  std::optional<std::string> json;

  [[nodiscard]] static OptionList<TextOutputs> options();
  /// Throws what check_outputs() throws.
  void check(const CommandOptions& options) const { check_outputs(options, {{"-o", text}, {"--json", json}}); }

  [[nodiscard]] bool wants_json() const { return json.has_value(); }
  /// Without -o and --json the text goes to standard output.
  [[nodiscard]] bool wants_text() const { return text || !json; }
  /// Whether who reads the text reads messages there as well: what it says need not be said again.
  [[nodiscard]] bool shows_text_beside_messages() const;
};

/// The answer of a command for one file: what outputs need of it, and the messages when they are written.
struct FileAnswer {
  std::string text = {};
  std::string json = {};
  std::string error = {}; ///< why the file is bad data all the same; "" where it is not
  int exit_code = kSuccess;
};

using AnswerFile = std::function<FileAnswer(const std::string& file, const FileOptions& own)>;

/// Runs `answer` for each file of the command line and writes what it made. Of one file, what is wrong with it is
/// thrown. Of several, which are worked on at once, each text is written when it and all before it are made, what is
/// wrong with a file is said, and the others go on: JSON is then a line for each file, with unread_json() for what
/// could not be read. Returns the worst exit code: 2, else 1, else 3, else 0. What goes out is looked through for what
/// --redact hides before it is written.
[[nodiscard]] int answer_files(const CommandOptions& options, const TextOutputs& outputs, const AnswerFile& answer);

/// The same of `answer(file, options)`, where the options are those of the command with the file's own FileOptions.
template <class Options, class Answer>
[[nodiscard]] int answer_each(const Options& options, const TextOutputs& outputs, const Answer& answer) {
  return answer_files(options, outputs, [&](const std::string& file, const FileOptions& own) {
    Options of_file = options;
    of_file.file = own;
    return answer(file, of_file);
  });
}

} // namespace memviz::cli
