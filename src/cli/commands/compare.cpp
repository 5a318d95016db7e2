#include "memviz/compare.hpp"

#include "answers/choice.hpp"
#include "answers/question_options.hpp"
#include "answers/scope_options.hpp"
#include "answers/sizes.hpp"
#include "base/path_ends.hpp"
#include "base/snapshot_names.hpp"
#include "cli/commands/compare_folder.hpp"
#include "cli/commands/compare_jobs.hpp"
#include "cli/frame/baseline_file.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/highlight.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/picture_output.hpp"
#include "cli/frame/rank_files.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/step_options.hpp"
#include "memviz/compare_report.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/several_snapshots.hpp"
#include "memviz/svg.hpp"
#include "memviz/warnings.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace memviz::cli {

namespace {

/// The outputs of a comparison, and the expectations on it.
struct CompareCommand : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  std::optional<std::string> markdown;
  std::optional<GateLimits> limits;
  std::optional<Gauge> gauge;
  CompareQuestion question; ///< its device is that of the scope
  Scope scope = automatic_scope();
  bool is_by_step = false;
  bool lists_addresses = false;
  LeakOptions leaks; ///< its steps
  RankOptions ranks; ///< of two folders
  bool is_strict = false;

  /// Whether one of the outputs goes to standard output.
  [[nodiscard]] bool takes_stdout() const { return picture.output == "-" || json == "-" || markdown == "-"; }
};

OptionList<CompareCommand> gate_options() {
  return {
      parsed({"fail-over", '\0', "LIMIT",
              "exit with code 3 if the peak or the end of a device grew by more than this size or percentage, which "
              "needs a unit: 500M, 1GiB, 2%. Or separate limits: peak=1%,end=64MiB, with reserved=SIZE for reserved "
              "memory, and line=SIZE for each line of your code at the compared moment. A peak that is unknown, "
              "because a file has no events, is reported and not checked"},
             &CompareCommand::limits, parse_limits),
      one_of<CompareCommand, std::optional<Gauge>, Gauge>(
          {"gate", '\0', "FIGURE",
           "check only this figure: peak or end (requested bytes), or reserved (at the end). An unknown figure is an "
           "error"},
          &CompareCommand::gauge, {{"peak", Gauge::peak}, {"end", Gauge::end}, {"reserved", Gauge::reserved}}),
      flag({"by-step", '\0', "",
            "also compare step by step, if the steps of both are known, and report in which step they differ most. "
            "Events and times are not compared, because one additional allocation shifts all later ones"},
           &CompareCommand::is_by_step),
      rare(flag(
          {"addresses", '\0', "",
           "print all addresses in only_before and only_after, the segments that only one side has, instead of the "
           "first three"},
          &CompareCommand::lists_addresses)),
  };
}

OptionList<CompareCommand> job_options() {
  return all_rare(joined<CompareCommand>(
      {within<CompareCommand>(&CompareCommand::ranks, rank_options()),
       {flag({"strict", '\0', "", "for two folders: exit with code 1 if a file could not be read"},
             &CompareCommand::is_strict)}}));
}

OptionList<CompareCommand> compare_command_options() {
  const auto tree = within<CompareQuestion>(&CompareQuestion::tree, compare_tree_options());
  return joined<CompareCommand>(
      {within<CompareCommand>(&CompareCommand::picture,
                              {output_option("the picture; if this or another output is - (standard output), the text "
                                             "goes to standard error (default: no picture)")}),
       {verbatim({"markdown", '\0', "FILE", "write a comment for a pull request there, in Markdown"},
                 &CompareCommand::markdown),
        json_option(&CompareCommand::json, "with all of it, for programs")},
       within<CompareCommand>(&CompareCommand::question, {match_option()}),
       gate_options(),
       within<CompareCommand>(&CompareCommand::question, tree),
       within<CompareCommand>(&CompareCommand::scope, scope_options(automatic_scope())),
       within<CompareCommand>(&CompareCommand::leaks, all_rare(step_options())),
       within<CompareCommand>(&CompareCommand::picture, flame_picture_options()),
       job_options(),
       line_options<CompareCommand>(),
       kinds_options<CompareCommand>(),
       snapshot_options<CompareCommand>()});
}

/// A recording that is compared with a baseline also becomes one, so that both have the same lines. The first side has
/// the highest figures of a baseline, the second side its lowest.
ComparedSide side_of_baseline(const Baseline& baseline, const std::string& name, const Scope& scope,
                              std::uint64_t ByteRange::*side) {
  const MomentKind kind = scope.at.kind;
  if (kind != MomentKind::peak && kind != MomentKind::end)
    throw UsageError(name + " is compared by lines at the peak or the end: --at peak or --at end");
  return {name, state_of(baseline, kind, side)};
}

CompareQuestion question_of(const CompareCommand& command) {
  CompareQuestion question = command.question;
  question.device = command.scope.device;
  return question;
}

ComparedSide load_side(const std::string& file, const std::string& name, const CompareCommand& options) {
  SegmentTimes times;
  Loaded loaded = load(file, options.file, wants_of(question_of(options), moment_of(options.scope), times));
  say_warnings(options.file, loaded.name, warnings_of(loaded.state));
  return side_of(name, std::move(loaded.state), std::move(times));
}

/// Reads the events of both files again, which are otherwise not kept.
std::vector<StepComparison> steps_of(const CompareCommand& options) {
  const StepsQuestion question{options.scope.device, step_choice_of(options.file, options.leaks.steps)};
  FileOptions again = options.file;
  again.sources.clear(); // tables of steps have no lines
  std::vector<std::vector<StepTable>> tables;
  for (const std::string& file : options.operands) {
    Loaded loaded = load(file, again, wants_of(question));
    const std::string name = loaded.name;
    tables.push_back(naming_file(name, [&] { return steps_answer(question, std::move(loaded)).tables; }));
  }
  return compare_steps(tables.front(), tables.back());
}

/// The limit of --gate has no name: it applies to the peak and the end.
GateLimits limits_of(const CompareCommand& options) {
  const GateLimits& limits = *options.limits;
  return options.gauge ? limits_on(std::span(&*options.gauge, 1), *limits.of(Gauge::peak)) : limits;
}

/// A gate that cannot be checked has not been passed.
GateVerdict checked_verdict(const CompareReport& report, const CompareCommand& options) {
  const GateLimits& limits = *options.limits;
  GateVerdict verdict = verdict_on(report.comparison.readings, limits_of(options));
  if (limits.line) verdict.lines = lines_over(report.comparison, *limits.line);
  if (options.gauge && !verdict.unknown.empty())
    throw UsageError(fmt::format("--gate {}: {}", gauge_name(*options.gauge), unknown_text(report)));
  return verdict;
}

/// Everything is made, and searched for hidden texts, before any of it is written.
void write_results(const CompareCommand& options, const CompareReport& report, const std::string& picture) {
  const std::string text = compare_text(report) + segment_lists(report.comparison, options.lists_addresses);
  const std::string json = options.json ? compare_json(report) : "";
  const std::string markdown = options.markdown ? compare_markdown(report) : "";
  for (const std::string* made : {&text, &json, &markdown, &picture})
    check_redacted(options.file, *made);
  if (options.takes_stdout())
    say(text);
  else
    print(for_output(text));
  if (options.json) write_output(options.file, *options.json, json);
  if (options.markdown) write_output(options.file, *options.markdown, markdown);
  if (options.picture.output) write_picture(options.file, options.picture, picture);
}

std::string name_of(const std::string& file, const FileOptions& options) {
  return file == "-" ? picture_name(file) : shown_name(file, options);
}

/// Checked before the work begins.
void check_request(const CompareCommand& options) {
  if (!options.is_by_step && options.leaks.steps.source != StepSource::none)
    throw UsageError("--steps sets where steps begin: it needs --by-step");
  if (options.is_by_step && (options.operands[0] == "-" || options.operands[1] == "-"))
    throw UsageError("--by-step reads both files twice, and standard input can be read only once: name a file");
  if (options.gauge && !options.limits)
    throw UsageError("--gate needs --fail-over, which sets how much growth is too much");
  if (options.gauge && options.limits->given.find('=') != std::string::npos)
    throw UsageError("--gate selects the figure for a limit without a name: omit it");
  check_picture(options.picture);
  check_outputs(options, {{"-o", options.picture.output}, {"--json", options.json}, {"--markdown", options.markdown}});
  if (options.operands[0] == "-" && options.operands[1] == "-")
    throw UsageError("only one of the two snapshots can be standard input");
}

/// Reads both files; makes baselines of both if one of them is one.
struct Baselines {
  std::optional<Baseline> before;
  std::optional<Baseline> after;
};

Baselines read_baselines(const CompareCommand& options, const std::pair<std::string, std::string>& names) {
  Baselines read{baseline_in(options.operands[0], names.first), baseline_in(options.operands[1], names.second)};
  if (!read.before && !read.after) return read;
  if (options.picture.output) throw UsageError("a baseline has no stacks to draw: omit -o");
  if (options.is_by_step) throw UsageError("a baseline has no steps: omit --by-step");
  if (!read.before) add_snapshot(read.before.emplace(), options.operands[0], options.file);
  if (!read.after) add_snapshot(read.after.emplace(), options.operands[1], options.file);
  return read;
}

/// A baseline has no out-of-memory error: both sides are compared at the peak, if it is known.
Scope scope_of(const Baselines& baselines, const Scope& scope) {
  if (!baselines.before || scope.at.kind != MomentKind::automatic) return scope;
  const bool knows_peak = has_events(*baselines.before) && has_events(*baselines.after);
  return {scope.device, knows_peak ? peak_scope().at : MomentChoice{}};
}

/// Two folders: compares each rank, at its own moment.
int run_compare_jobs(const CompareCommand& options) {
  for (const auto& output : {options.picture.output, options.markdown})
    if (output || options.is_by_step)
      throw UsageError("for two folders there are only a table and --json: compare the two files of a rank for more");
  if (options.scope.device || options.scope.at.kind != MomentKind::automatic)
    throw UsageError("two folders are compared at the moment that memviz ranks uses: omit --at and --device");
  if (!options.file.sources.empty())
    throw UsageError("two folders are compared without the text of lines: omit --source");
  JobsQuestion question{options.ranks, {options.question.match, {}}, options.json, options.is_strict};
  if (options.limits) question.compare.limits = limits_of(options);
  return answer_jobs(options, question);
}

/// Returns both sides, compared. Lines that a baseline leaves out are no lines that grew.
CompareAnswer compared(const CompareCommand& options, const std::pair<std::string, std::string>& names) {
  const Baselines baselines = read_baselines(options, names);
  const auto& base = baselines.before;
  const auto& later = baselines.after;
  const Scope scope = scope_of(baselines, options.scope);
  ComparedSide before = base ? side_of_baseline(*base, names.first, scope, &ByteRange::high)
                             : load_side(options.operands[0], names.first, options);
  ComparedSide after = later ? side_of_baseline(*later, names.second, scope, &ByteRange::low)
                             : load_side(options.operands[1], names.second, options);
  CompareAnswer answer = compare_answer(question_of(options), std::move(before), std::move(after));
  if (base) fold_left_out(answer.comparison, *base, *later);
  return answer;
}

/// Returns the operands. Where one is a folder and the other a single file, it is the recording in the folder.
std::vector<std::string> operands_of(const CompareCommand& options) {
  std::vector<std::string> operands = options.operands;
  std::error_code unknown;
  for (const std::size_t side : {0U, 1U}) {
    const std::string& other = options.operands[1 - side];
    if (std::filesystem::is_directory(operands[side], unknown) && std::filesystem::exists(other, unknown) &&
        !is_job(other, options.file))
      operands[side] = recording_in(operands[side], other, options.file);
  }
  return operands;
}

int run_compare_files(const CompareCommand& options) {
  const auto names = told_apart(name_of(options.operands[0], options.file), name_of(options.operands[1], options.file));
  const CompareAnswer answer = compared(options, names);
  CompareReport report = report_of(answer);
  for (const std::string& warning : {uneven_text(report), other_devices_text(report)})
    if (!warning.empty()) options.file.advise("warning: " + warning);
  if (options.is_by_step) report.steps = steps_of(options);
  if (options.limits) report.verdict = checked_verdict(report, options);
  std::string picture;
  if (options.picture.output)
    picture =
        compare_svg(picture_of(answer, report), svg_options(options.picture.drawing, frames_of(options.question.tree)));
  write_results(options, report, picture);
  const auto message = exceeded_text(report);
  if (!message) return kSuccess;
  say_message(answer.after.name + ": " + *message);
  return kOverThreshold;
}

int run_compare(const CompareCommand& given) {
  check_request(given);
  CompareCommand options = given;
  options.operands = operands_of(given);
  if (std::ranges::any_of(options.operands, is_folder_or_parts)) return run_compare_jobs(options);
  try {
    return run_compare_files(options);
  } catch (const SeveralSnapshots&) {
    if (std::ranges::none_of(options.operands, has_archive_ending)) throw;
    return run_compare_jobs(options);
  }
}

} // namespace

Command compare_command() {
  const CommandText text{
      .name = "compare",
      .operands = "BEFORE AFTER [-o FILE] [options]",
      .operand_count = 2,
      .summary = "the changes from one snapshot to another, as figures and a picture",
      .text = "Reports how much the peak, the end and the reserved memory of each device grew, and which lines of your "
              "code changed most; prints the addresses of the segments that only one of the two has at its end (for "
              "pinned host memory only with --device host, because PyTorch's tools omit it); and draws the difference "
              "by stack. With --fail-over the exit code is 3 if the peak or the end of a device grew by more than the "
              "limit; sums over devices are not checked, because their peaks are at different times. Two folders, or "
              "two files of parts (memviz ranks --partial), are compared rank by rank; of a folder and a single "
              "file, the only recording in the folder is compared.",
      .examples = "  memviz compare before.pickle after.pickle -o diff.svg\n"
                  "  memviz compare main.pickle pull.pickle --fail-over 2% --markdown comment.md\n"
                  "  memviz compare main.pickle pull.pickle --fail-over 500M --gate peak -q\n"
                  "  memviz compare base.json memory/ --fail-over peak=1%,end=1%,line=64MiB\n"
                  "  memviz compare main/ pull/ --fail-over 1%\n",
  };
  return command(text, compare_command_options(), run_compare);
}

} // namespace memviz::cli
