#include "memviz/compare.hpp"

#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/picture_output.hpp"
#include "cli/sizes.hpp"
#include "export/compare_json.hpp"
#include "export/compare_markdown.hpp"
#include "export/compare_text.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/svg.hpp"
#include "text/path_ends.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <optional>
#include <string>

namespace memviz::cli {

namespace {

/// One of the two files with what was read from it.
struct Side {
  std::string file;
  std::string name; ///< in outputs
  MemoryState state;
  std::vector<std::string> warnings; ///< each with that name
};

Side load_side(const std::string& file, const std::string& name, const MomentRequest& moment,
               const Arguments& arguments) {
  Loaded loaded = load(file, arguments, moment);
  Side side{loaded.name, name, std::move(loaded.state), {}};
  for (const std::string& warning : side.state.all_warnings())
    side.warnings.push_back(side.name + ": " + warning);
  if (!arguments.has("quiet")) say_warnings(side.file, side.state.all_warnings());
  return side;
}

bool has_device(const Recording& recording, std::uint32_t device) {
  const auto devices = recording.devices();
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

/// A device may be new or gone; one that neither file has is a mistake.
void check_devices(const Side& before, const Side& after, std::optional<std::uint32_t> device) {
  if (device && has_device(*before.state.recording, *device)) return;
  check_device(after.file, *after.state.recording, device);
}

/// Where what was found goes, and what is expected of it.
struct CompareRequest {
  TreeChoice choice;
  SvgOptions svg;
  std::optional<FrameMatch> match;
  std::optional<GrowthLimit> limit;
  std::optional<Gauge> gauge;
  MomentRequest moment;
  std::optional<std::string> output;
  std::optional<std::string> json;
  std::optional<std::string> markdown;

  /// Whether one of them takes standard output.
  [[nodiscard]] bool takes_stdout() const { return output == "-" || json == "-" || markdown == "-"; }
};

std::optional<FrameMatch> match_of(const Arguments& arguments) {
  return chosen<std::optional<FrameMatch>>(
      "match", arguments.value("match").value_or("auto"),
      {{"auto", std::nullopt}, {"line", FrameMatch::line}, {"function", FrameMatch::function}});
}

std::optional<Gauge> gauge_of(const Arguments& arguments) {
  const auto word = arguments.value("gate");
  if (!word) return std::nullopt;
  if (!arguments.has("fail-over")) throw UsageError("--gate needs --fail-over, which says how much growth is too much");
  return chosen<Gauge>("gate", *word, {{"peak", Gauge::peak}, {"end", Gauge::end}, {"reserved", Gauge::reserved}});
}

void check_outputs(const Arguments& arguments, const CompareRequest& request) {
  check_picture_output(arguments, request.output);
  for (const auto& output : {request.json, request.markdown})
    if (output) check_output_file(arguments, *output);
}

CompareRequest request_of(const Arguments& arguments) {
  CompareRequest request;
  request.choice = tree_choice(arguments);
  request.svg = svg_options(arguments, request.choice);
  request.match = match_of(arguments);
  if (const auto limit = arguments.value("fail-over")) request.limit = parse_limit("fail-over", *limit);
  request.gauge = gauge_of(arguments);
  request.output = arguments.value("output");
  request.json = arguments.value("json");
  request.markdown = arguments.value("markdown");
  request.moment = moment_of(arguments);
  check_outputs(arguments, request);
  if (arguments.operands()[0] == "-" && arguments.operands()[1] == "-")
    throw UsageError("only one of the two snapshots can be standard input");
  return request;
}

CompareOptions compare_options(const CompareRequest& request, const Side& before, const Side& after) {
  const bool before_has_more = before.state.recording->devices().size() > after.state.recording->devices().size();
  const MemoryState& wider = before_has_more ? before.state : after.state;
  CompareOptions options;
  options.match = request.match;
  options.tree = resolved(request.choice, wider);
  if (request.choice.group || request.choice.view) return options;
  // By default streams are not told apart: their numbers differ from one process to the next.
  std::erase(options.tree.levels, Level::stream);
  return options;
}

/// The devices compared, and who wrote the file.
std::vector<std::string> facts_of(const Side& side, std::optional<std::uint32_t> device) {
  std::vector<std::string> names;
  for (const std::uint32_t present : side.state.recording->devices())
    if (!device || *device == present) names.push_back(device_name(present, side.state.recording->origin.is_cpu));
  constexpr std::size_t kMostNames = 4;
  std::vector<std::string> facts;
  if (names.size() > kMostNames)
    facts.push_back(fmt::format("{} devices", names.size()));
  else if (!names.empty())
    facts.push_back(fmt::format("{}", fmt::join(names, ", ")));
  facts.push_back(moments_text(side.state.stats_of(device)));
  if (!side.state.recording->origin.generation.empty()) facts.push_back(side.state.recording->origin.generation);
  if (side.state.recording->origin.rehearsal) facts.push_back(rehearsal_alert(side.state.recording->origin.rehearsal));
  return facts;
}

std::string drawn(const CompareRequest& request, const CompareReport& report, const Side& before, const Side& after) {
  ComparePicture picture{before.name, after.name, report.comparison, report.warnings};
  picture.before_facts = facts_of(before, request.choice.device);
  picture.after_facts = facts_of(after, request.choice.device);
  return compare_svg(picture, request.svg);
}

/// A gate that cannot be looked at is no gate that was passed.
GateVerdict checked_verdict(const CompareReport& report, const CompareRequest& request) {
  GateVerdict verdict = verdict_on(report.comparison.readings, *request.limit, request.gauge);
  if (request.gauge && !verdict.unknown.empty())
    throw UsageError(fmt::format("--gate {}: {}", gauge_name(*request.gauge), unknown_text(report)));
  return verdict;
}

/// Everything is made, and looked through for what --redact hides, before the first of it is written.
void write_results(const Arguments& arguments, const CompareRequest& request, const CompareReport& report,
                   const std::string& picture) {
  const std::string text = compare_text(report) + segment_lists(report.comparison);
  const std::string json = request.json ? compare_json(report) : "";
  const std::string markdown = request.markdown ? compare_markdown(report) : "";
  for (const std::string* made : {&text, &json, &markdown, &picture})
    check_redacted(arguments, *made);
  if (request.takes_stdout())
    say(text);
  else
    print(text);
  if (request.json) write_output(arguments, *request.json, json);
  if (request.markdown) write_output(arguments, *request.markdown, markdown);
  if (request.output) write_picture(arguments, *request.output, picture);
}

std::string name_of(const std::string& file, const Arguments& arguments) {
  return file == "-" ? picture_name(file) : shown_name(file, arguments);
}

int run_compare(const Arguments& arguments) {
  const CompareRequest request = request_of(arguments);
  const auto names =
      told_apart(name_of(arguments.operands()[0], arguments), name_of(arguments.operands()[1], arguments));
  const Side before = load_side(arguments.operands()[0], names.first, request.moment, arguments);
  const Side after = load_side(arguments.operands()[1], names.second, request.moment, arguments);
  check_devices(before, after, request.choice.device);
  const Comparison comparison =
      compare_snapshots({before.state}, {after.state}, compare_options(request, before, after));
  CompareReport report{{before.name, moments_text(before.state.stats_of(request.choice.device))},
                       {after.name, moments_text(after.state.stats_of(request.choice.device))},
                       comparison};
  report.warnings = before.warnings;
  report.warnings.insert(report.warnings.end(), after.warnings.begin(), after.warnings.end());
  if (const std::string uneven = uneven_text(report); !uneven.empty()) {
    report.warnings.push_back(uneven);
    if (!arguments.has("quiet")) say_message("warning: " + uneven);
  }
  if (request.limit) report.verdict = checked_verdict(report, request);
  write_results(arguments, request, report, request.output ? drawn(request, report, before, after) : std::string());
  const auto message = exceeded_text(report);
  if (!message) return kSuccess;
  say_message(after.name + ": " + *message);
  return kOverThreshold;
}

} // namespace

Command compare_command() {
  return {
      .name = "compare",
      .operands = "BEFORE AFTER [-o FILE] [options]",
      .operand_count = 2,
      .summary = "what changed from one snapshot to another, in figures and a picture",
      .text =
          "Says how much the peak, the end and the reserved memory of each device grew, and which lines of your "
          "code changed most; prints the addresses of the segments that only one of the two has at its end; and "
          "draws the difference by stack. With --fail-over the exit code is 3 when one of the three figures grew "
          "by more than that on a device; sums over devices are not looked at, because their peaks are at different "
          "times.",
      .examples = "  memviz compare before.pickle after.pickle -o diff.svg\n"
                  "  memviz compare main.pickle pull.pickle --fail-over 2% --markdown comment.md\n"
                  "  memviz compare main.pickle pull.pickle --fail-over 500M --gate peak -q\n",
      .options =
          joined({{{"output", 'o', "FILE",
                    "the picture; where this or another output is -, standard output, the text goes to standard "
                    "error (default: no picture)"},
                   {"markdown", '\0', "FILE", "a comment for a pull request, in Markdown"},
                   {"json", '\0', "FILE", "all of it, for programs"},
                   {"match", '\0', "HOW",
                    "what makes two frames the same. line: file, function and line; function: file and function; "
                    "auto (default): line, but function where most lines only moved, that is where the other side "
                    "holds at least half of what differs by line, and a tenth of all, in the same functions of the "
                    "same files at other lines. The output says which it was, and shows a function with the line that "
                    "holds most"},
                   {"fail-over", '\0', "LIMIT",
                    "exit with code 3 when the peak, the end or the reserved memory of a device grew by more than "
                    "this size or percentage, for example 500M, 1GiB or 2%. A peak that is unknown, because a "
                    "file has no events, is said and not looked at"},
                   {"gate", '\0', "FIGURE",
                    "look at this one only: peak or end (requested bytes), or reserved (at the end). One that is "
                    "unknown is an error"},
                   {"view", '\0', "NAME",
                    "memory: by stream, state and stack; segments: by stream, segment, "
                    "state and stack (default: by state and stack)"}},
                  tree_options(),
                  {device_option(), moment_option("auto")},
                  picture_options(),
                  redact_options(),
                  general_options()}),
      .run = run_compare,
  };
}

} // namespace memviz::cli
