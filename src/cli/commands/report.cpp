#include "answers/scope_options.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/sqlite_output.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/sqlite_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace memviz::cli {

namespace {

struct ReportOptions : CommandOptions {
  std::optional<std::string> output;
  std::optional<std::string> json;
  ReportQuestion question;
  bool full = false;
};

Option<ReportQuestion> project_root_option() {
  return verbatim(
      {"project-root", '\0', "DIR",
       "the project's folder, as in the recording: stacks contain only its files, with paths relative to it "
       "(default: the longest common folder of the user's own files)"},
      &ReportQuestion::project_root);
}

OptionList<ReportOptions> report_options() {
  return joined<ReportOptions>(
      {{verbatim({"output", 'o', "FILE", "the SQLite file; - is standard output (required, except with --json)"},
                 &ReportOptions::output),
        json_option(&ReportOptions::json, "with the same entries, stacks and figures")},
       within<ReportOptions>(&ReportOptions::question, {project_root_option()}),
       {flag({"full", '\0', "", "add the whole recording: tables of segments, blocks, events, stacks and frames"},
             &ReportOptions::full)},
       within<ReportOptions>(&ReportOptions::question,
                             within<ReportQuestion>(&ReportQuestion::scope, scope_options(ReportQuestion().scope))),
       kinds_options<ReportOptions>(),
       snapshot_options<ReportOptions>()});
}

bool is_of_windows(const std::string& path) {
  return path.find('\\') != std::string::npos || (path.size() > 1 && path[1] == ':');
}

/// A relative path refers to this machine.
std::optional<std::string> root_of(const std::optional<std::string>& given) {
  if (!given) return std::nullopt;
  const std::string& root = *given;
  if (root.empty()) throw UsageError("--project-root is empty; . is the current folder");
  if (is_of_windows(root)) return root;
  return std::filesystem::absolute(root).lexically_normal().string();
}

void check_options(const ReportOptions& options) {
  if (!options.output && !options.json)
    throw UsageError("report needs an output: add -o report.sqlite, or -o - for standard output");
  if (!options.output && options.full) throw UsageError("--full needs a SQLite file: add -o full.sqlite");
  const bool hides_paths = options.file.redact && *options.file.redact != Redact::names;
  if (options.question.project_root && hides_paths)
    throw UsageError("--project-root names a folder that --redact hides: omit one of them, or hide names only");
}

int run_report(const ReportOptions& options) {
  check_options(options);
  check_outputs(options, {{"-o", options.output}, {"--json", options.json}});
  if (options.output) check_binary_output(*options.output, "an SQLite file");
  ReportQuestion question = options.question;
  question.project_root = root_of(question.project_root);
  const std::optional<DeviceId> device = question.scope.device;
  Wants wants = wants_of(question);
  std::optional<SqliteOutput> output;
  if (options.output) {
    output.emplace(options.file, *options.output, SqliteTables{.recording = options.full, .device = device});
    wants.sink = output->events();
  }
  Loaded loaded = load_one(options, wants, device);
  const std::string name = loaded.name;
  const ReportAnswer answer = naming_file(name, [&] { return report_answer(question, std::move(loaded)); });
  for (const std::string& hint : hints_of(answer))
    options.file.advise(hint);
  if (options.json) write_output(options.file, *options.json, naming_file(name, [&] { return json_of(answer); }));
  if (output) output->finish(answer.loaded, {answer.report, answer.project});
  return kSuccess;
}

} // namespace

Command report_command() {
  const CommandText text{
      .name = "report",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "weights, gradients and activations as a SQLite file",
      .text = "Writes a memory report like DeepView.Profile's, a SQLite file with the same tables: each weight with "
              "its name, its bytes and those of its gradient, each activation with the operation that made it, their "
              "stacks within your project, and the peak. Weights and activations are recognized by the kinds of memory "
              "(memviz stats); unknown memory is listed in the table memviz_report. Pinned host memory is omitted, "
              "except with --device host. With --full the recording itself can be queried as well.",
      .examples = "  memviz report mem.pickle -o report.sqlite --project-root /home/me/project\n"
                  "  memviz report mem.pickle -o full.sqlite --full\n"
                  "  memviz report mem.pickle --json - | jq '.weights[:3]'\n"
                  "  sqlite3 report.sqlite 'SELECT name, size_bytes FROM weight_entries ORDER BY size_bytes DESC'\n",
  };
  return command(text, report_options(), run_report);
}

} // namespace memviz::cli
