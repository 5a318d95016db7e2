#include "cli/frame/text_outputs.hpp"

#include "cli/frame/highlight.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/messages.hpp"
#include "io/terminal.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::cli {

namespace {

void write_answer(const FileOptions& file, const TextOutputs& outputs, const std::string& text,
                  const std::string& json) {
  check_redacted(file, text);
  if (outputs.wants_json()) write_output(file, *outputs.json, json);
  if (outputs.wants_text()) write_text(file, outputs.text.value_or("-"), text);
}

int worse(int one, int other) {
  for (const int code : {kBadUsage, kBadData, kOverThreshold})
    if (one == code || other == code) return code;
  return kSuccess;
}

/// Returns JSON without its line breaks; within texts, line ends are escaped.
std::string one_line(std::string_view json) {
  std::string line;
  bool is_indent = false;
  for (const char character : json) {
    is_indent = character == '\n' || (is_indent && character == ' ');
    if (!is_indent) line += character;
  }
  return line + '\n';
}

/// The outcome for one of several files.
struct Made {
  FileAnswer answer = {};
  bool is_answered = false;
  std::string failure = {}; ///< a message
  int code = kSuccess;
  std::vector<std::string> messages = {}; ///< messages before the answer
};

/// Answers for one file. A file that lacks something, such as a device, does not stop the others.
Made made_of(const CommandOptions& options, const FileOptions& own, const std::string& file, const AnswerFile& answer) {
  Made made;
  try {
    made.code = run_with_messages(options, [&] {
      made.answer = answer(file, own);
      check_redacted(own, made.answer.text);
      check_redacted(own, made.answer.json);
      return kSuccess;
    });
    made.is_answered = true;
  } catch (const UsageError& error) {
    made.failure = error.what();
    made.code = kBadUsage;
  } catch (const Error& error) {
    made.failure = error.what();
    made.code = kBadData;
  } catch (const std::bad_alloc&) {
    made.failure = "out of memory";
    made.code = kBadData;
  }
  made.messages = std::move(*own.waiting_messages);
  return made;
}

/// Writes the answers of several files, one after the other.
class Answers {
public:
  Answers(const CommandOptions& options, const TextOutputs& outputs) : options_(options), outputs_(outputs) {
    if (outputs.wants_json() && outputs.json != "-") json_.emplace(options.file, *outputs.json);
    if (outputs.text && outputs.text != "-") text_.emplace(options.file, *outputs.text);
  }

  /// Returns the exit code.
  int add(const std::string& file, const Made& made) {
    for (const std::string& message : made.messages)
      say_message(message);
    if (outputs_.wants_json()) write_json(file, made);
    if (made.is_answered && outputs_.wants_text()) write_text_of(made.answer);
    for (const std::string& error : {made.failure, made.answer.error})
      if (!error.empty()) say_message(error);
    return worse(worse(made.code, made.answer.exit_code), made.answer.error.empty() ? kSuccess : kBadData);
  }

  void finish() {
    if (json_) json_->finish();
    if (text_) text_->finish();
  }

private:
  void write_json(const std::string& file, const Made& made) {
    const std::string name = shown_name(file, options_.file);
    const std::string line =
        one_line(made.is_answered ? made.answer.json : unread_json(name, without_name(made.failure, name)));
    if (json_)
      json_->write(line);
    else
      write_output(options_.file, "-", line);
  }

  void write_text_of(const FileAnswer& answer) {
    if (answer.text.empty()) return;
    const std::string text = (is_first_ ? "" : "\n") + answer.text;
    is_first_ = false;
    if (text_)
      text_->write(text);
    else
      write_text(options_.file, "-", text);
  }

  const CommandOptions& options_;
  const TextOutputs& outputs_;
  std::optional<PieceOutput> json_;
  std::optional<PieceOutput> text_;
  bool is_first_ = true;
};

} // namespace

std::size_t text_columns() {
  constexpr std::size_t kFewest = 40;
  constexpr std::size_t kMost = 100;
  return std::clamp(output_terminal_columns().value_or(kMost), kFewest, kMost);
}

bool TextOutputs::shows_text_beside_messages() const {
  return wants_text() && text.value_or("-") == "-" && output_and_error_are_one();
}

OptionList<TextOutputs> TextOutputs::options() {
  return {verbatim({"output", 'o', "FILE", "where the text goes (default: standard output)"}, &TextOutputs::text),
          json_option(&TextOutputs::json, "instead of the text")};
}

void write_text(const FileOptions& file, const std::string& path, const std::string& text) {
  check_redacted(file, text);
  write_output(file, path, path == "-" ? for_output(text) : text);
}

int answer_files(const CommandOptions& options, const TextOutputs& outputs, const AnswerFile& answer) {
  const std::vector<std::string>& files = options.operands;
  if (!options.has_several) {
    const FileAnswer made = answer(files.front(), options.file);
    write_answer(options.file, outputs, made.text, made.json);
    if (!made.error.empty()) throw Error(made.error);
    return made.exit_code;
  }
  Answers answers(options, outputs);
  std::vector<Made> made(files.size());
  int code = kSuccess;
  work_on_files(
      files, threads_for_files(options.file),
      [&](std::size_t i, unsigned threads) {
        FileOptions own = options_of_one(options.file, threads);
        own.waiting_messages = std::make_shared<std::vector<std::string>>();
        made[i] = made_of(options, own, files[i], answer);
      },
      [&](std::size_t i) {
        code = worse(code, answers.add(files[i], made[i]));
        made[i] = {};
      });
  answers.finish();
  return code;
}

} // namespace memviz::cli
