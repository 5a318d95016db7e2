#include "cli/text_outputs.hpp"

#include "cli/highlight.hpp"
#include "cli/messages.hpp"
#include "io/terminal.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <exception>
#include <string_view>

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

/// The answers of several files, until all of them are there.
class Answers {
public:
  Answers(const CommandOptions& options, const TextOutputs& outputs) : options_(options), outputs_(outputs) {}

  void add(const FileAnswer& answer) {
    if (outputs_.wants_json()) {
      json_ += json_.empty() ? "[\n" : ",\n";
      json_ += std::string_view(answer.json).substr(0, answer.json.find_last_not_of('\n') + 1);
    }
    if (!outputs_.wants_text()) return;
    const std::string text = (is_first_ ? "" : "\n") + answer.text;
    is_first_ = false;
    if (outputs_.text)
      text_ += text;
    else
      write_text(options_.file, "-", text);
  }

  void write() {
    if (outputs_.wants_json()) write_output(options_.file, *outputs_.json, json_.empty() ? "[]\n" : json_ + "\n]\n");
    if (outputs_.text) write_output(options_.file, *outputs_.text, text_);
  }

private:
  const CommandOptions& options_;
  const TextOutputs& outputs_;
  std::string text_;
  std::string json_;
  bool is_first_ = true;
};

/// Of one of several files: what it does not have, such as a device, is no reason to leave the others out.
int answer_one(const CommandOptions& options, const std::string& file, Answers& answers,
               const std::function<FileAnswer(const std::string& file)>& answer) {
  FileAnswer made;
  int code = kSuccess;
  const auto work = [&] {
    made = answer(file);
    return kSuccess;
  };
  try {
    code = run_within_limits(options, work);
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    return report(error);
  }
  answers.add(made);
  if (!made.error.empty()) say_message(made.error);
  return worse(worse(code, made.exit_code), made.error.empty() ? kSuccess : kBadData);
}

} // namespace

std::size_t text_columns() {
  constexpr std::size_t kFewest = 40;
  constexpr std::size_t kMost = 100;
  return std::clamp(output_terminal_columns().value_or(kMost), kFewest, kMost);
}

bool TextOutputs::shows_text_beside_messages() const {
  return wants_text() && text.value_or("-") == "-" && output_is_terminal() && error_is_terminal();
}

OptionList<TextOutputs> TextOutputs::options() {
  return {verbatim({"output", 'o', "FILE", "where the text goes (default: standard output)"}, &TextOutputs::text),
          json_option(&TextOutputs::json, "instead of the text")};
}

void write_text(const FileOptions& file, const std::string& path, const std::string& text) {
  check_redacted(file, text);
  write_output(file, path, path == "-" ? for_output(text) : text);
}

int answer_files(const CommandOptions& options, const TextOutputs& outputs,
                 const std::function<FileAnswer(const std::string& file)>& answer) {
  if (options.operands.size() == 1) {
    const FileAnswer made = answer(options.operands.front());
    write_answer(options.file, outputs, made.text, made.json);
    if (!made.error.empty()) throw Error(made.error);
    return made.exit_code;
  }
  Answers answers(options, outputs);
  int code = kSuccess;
  for (const std::string& file : options.operands)
    code = worse(code, answer_one(options, file, answers, answer));
  answers.write();
  return code;
}

} // namespace memviz::cli
