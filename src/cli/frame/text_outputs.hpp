#pragma once

// The outputs, -o and --json, of a command that answers in text, in JSON or in both; for one file, or for several, one
// after the other.

#include "cli/frame/outputs.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace memviz::cli {

/// Returns the columns of a text on standard output: the width of the terminal, up to what is comfortable to read.
[[nodiscard]] std::size_t text_columns();

/// Writes a text for people with write_output(): on a terminal with colours.
void write_text(const FileOptions& file, const std::string& path, const std::string& text);

struct TextOutputs {
  std::optional<std::string> text;
  std::optional<std::string> json;

  [[nodiscard]] static OptionList<TextOutputs> options();
  /// Throws the exceptions of check_outputs().
  void check(const CommandOptions& options) const { check_outputs(options, {{"-o", text}, {"--json", json}}); }

  [[nodiscard]] bool wants_json() const { return json.has_value(); }
  /// Whether the text goes to standard output, because neither -o nor --json is given.
  [[nodiscard]] bool wants_text() const { return text || !json; }
  /// Whether readers of the text see messages in the same place, so that these need not repeat it.
  [[nodiscard]] bool shows_text_beside_messages() const;
};

/// The answer of a command for one file: the contents of the outputs, and the messages when they are written.
struct FileAnswer {
  std::string text = {};
  std::string json = {};
  std::string error = {}; ///< why the file is bad data all the same; "" where it is not
  int exit_code = kSuccess;
};

using AnswerFile = std::function<FileAnswer(const std::string& file, const FileOptions& own)>;

/// Runs `answer` for each file of the command line and writes the results. For a single file, errors are thrown.
/// Several files are processed at once: each text is written when it and all before it are ready, errors are printed,
/// and the others continue; JSON is then one line per file, with unread_json() for a file that could not be read.
/// Returns the worst exit code: 2, else 1, else 3, else 0. Outputs are searched for what --redact hides before they are
/// written.
[[nodiscard]] int answer_files(const CommandOptions& options, const TextOutputs& outputs, const AnswerFile& answer);

/// Runs `answer(file, options)`, where the options are those of the command with the file's own FileOptions.
template <class Options, class Answer>
[[nodiscard]] int answer_each(const Options& options, const TextOutputs& outputs, const Answer& answer) {
  return answer_files(options, outputs, [&](const std::string& file, const FileOptions& own) {
    Options of_file = options;
    of_file.file = own;
    return answer(file, of_file);
  });
}

} // namespace memviz::cli
