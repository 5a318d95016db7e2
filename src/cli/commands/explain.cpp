#include "answers/question_options.hpp"
#include "answers/scope_options.hpp"
#include "base/printable.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/picture_output.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/text_outputs.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/logged_error_report.hpp"
#include "memviz/several_snapshots.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace memviz::cli {

namespace {

struct ExplainCommand : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  std::optional<std::string> text;
  bool is_brief = false;
  bool names_commands = false; ///< that say more
  ExplainQuestion question;
};

OptionList<ExplainCommand> explain_options() {
  const auto question = joined<ExplainQuestion>(
      {{capacity_option()}, within<ExplainQuestion>(&ExplainQuestion::scope, scope_options(ExplainQuestion().scope))});
  return joined<ExplainCommand>(
      {within<ExplainCommand>(&ExplainCommand::picture,
                              {output_option("also draw a picture; - is standard output, instead of the text")}),
       {json_option(&ExplainCommand::json, "instead of the text"),
        flag({"brief", '\0', "", "only what happened, why, what to do, and which lines hold most; for logs"},
             &ExplainCommand::is_brief),
        rare(verbatim(
            {"text", '\0', "FILE", "write the text there, in addition to the JSON or a picture on standard output"},
            &ExplainCommand::text))},
       within<ExplainCommand>(&ExplainCommand::question, question),
       within<ExplainCommand>(&ExplainCommand::picture, picture_format_options()),
       line_options<ExplainCommand>(),
       kinds_options<ExplainCommand>(),
       snapshot_options<ExplainCommand>()});
}

/// The outputs for one file; `picture` is empty if none was requested.
struct Explained {
  FileAnswer answer;
  std::string picture;
};

bool wants_text(const ExplainCommand& options, const TextOutputs& outputs) {
  return options.text || (outputs.wants_text() && options.picture.output != "-");
}

std::string more_commands(const std::string& file) {
  return fmt::format("\nMore\n"
                     "  memviz explain {0}  the whole answer\n"
                     "  memviz flame {0} -o mem.svg  a picture\n"
                     "  memviz view {0} -o view.html  a page to explore\n",
                     printable(file));
}

Explained explained(const ExplainAnswer& answer, const ExplainCommand& options, const TextOutputs& outputs) {
  const ExplainReport report = report_of(answer);
  Explained made;
  if (options.json) made.answer.json = explain_json(report.file, report.state, report.devices);
  if (wants_text(options, outputs)) {
    made.answer.text = options.is_brief ? explain_brief(report, text_columns()) : explain_text(report, text_columns());
    // A single answer needs no name; with several files each has one.
    if (options.is_brief && options.has_several) made.answer.text.insert(0, printable(report.file) + '\n');
    if (options.names_commands) made.answer.text += more_commands(options.operands.front());
  }
  if (options.picture.output) made.picture = explain_svg(picture_of(answer), {});
  return made;
}

/// The text of an error has no stacks and no moments.
Explained explained_log(const std::string& name, std::string_view log, const ExplainCommand& options,
                        const TextOutputs& outputs) {
  if (options.picture.output) throw UsageError("the text of an error has no memory to draw: omit -o");
  if (options.file.redactor) throw UsageError("the text of an error is not redacted: omit --redact");
  const LoggedErrors errors = read_logged_errors(log);
  Explained made;
  if (options.json) made.answer.json = logged_error_json(name, errors);
  if (wants_text(options, outputs)) made.answer.text = logged_error_text(name, errors, text_columns());
  return made;
}

Explained explained_file(const std::string& file, const ExplainCommand& options, const TextOutputs& outputs) {
  const std::string name = shown_name(file, options.file);
  const Wants wants = with_kind_rules(wants_of(options.question), options.file);
  return naming_file(name, [&] {
    SnapshotFile opened(file, options.file, true);
    const std::string_view bytes = opened.session().input().bytes();
    if (is_error_log(bytes)) return explained_log(name, bytes, options, outputs);
    Loaded loaded = load_file(opened, options.file, wants, options.question.scope.device);
    return explained(explain_answer(options.question, std::move(loaded)), options, outputs);
  });
}

/// Draws the picture of one file.
int draw(const ExplainCommand& options, const TextOutputs& outputs) {
  if (options.has_several) throw UsageError("-o draws one snapshot; without it, explain takes several");
  const Explained made = explained_file(options.operands.front(), options, outputs);
  check_redacted(options.file, made.answer.text);
  check_redacted(options.file, made.picture);
  if (options.json) write_output(options.file, *options.json, made.answer.json);
  write_picture(options.file, options.picture, made.picture);
  if (!made.answer.text.empty()) write_text(options.file, options.text.value_or("-"), made.answer.text);
  return kSuccess;
}

int run_explain(const ExplainCommand& given) {
  ExplainCommand options = given;
  find_files(options);
  check_picture(options.picture);
  check_outputs(options, {{"-o", options.picture.output}, {"--json", options.json}, {"--text", options.text}});
  const TextOutputs outputs{.text = options.text, .json = options.json};
  options.file.are_warnings_shown =
      !options.is_brief && options.picture.output != "-" && outputs.shows_text_beside_messages();
  if (options.is_brief && !wants_text(options, outputs))
    throw UsageError("--brief shortens the text, and no text is written: omit it, or add --text FILE");
  if (options.picture.output) return draw(options, outputs);
  return answer_each(options, outputs, [&](const std::string& file, const ExplainCommand& own) {
    return explained_file(file, own, outputs).answer;
  });
}

int run_brief(const ExplainCommand& given) {
  ExplainCommand options = given;
  options.is_brief = options.names_commands = true;
  try {
    return run_explain(options);
  } catch (const SeveralSnapshots&) {
    return ranks_command().run(given.operands);
  }
}

CommandText command_text() {
  return {
      .name = "explain",
      .operands = "SNAPSHOT...|LOG...|FOLDER... [options]",
      .summary = "why memory ran out or is fragmented, and what would have helped",
      .text = "Reports for each device, starting with the one that failed: what was requested and what was free, where "
              "every reserved byte was, and why that was not enough. What would have helped is computed by replaying "
              "the recorded events through a model of PyTorch's allocator, and is unknown if the model does not "
              "reproduce the recording. A file may also be a log, or the text of an error alone: its figures show "
              "less, but often the cause.",
      .examples = "  memviz explain oom.pickle\n"
                  "  memviz explain oom.pickle --source ~/project\n"
                  "  memviz explain oom.pickle --capacity 80GiB -o why.svg\n"
                  "  memviz explain rank*.pickle\n"
                  "  memviz explain job.log\n"
                  "  memviz explain oom.pickle --json - | jq -r '.devices[0].verdict'\n",
      .takes_several = true,
  };
}

} // namespace

Command explain_command() {
  return command(command_text(), explain_options(), run_explain);
}

Command brief_command() {
  return command(command_text(), explain_options(), run_brief);
}

} // namespace memviz::cli
