#include "memviz/compare.hpp"

#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/hints.hpp"
#include "cli/messages.hpp"
#include "cli/picture_output.hpp"
#include "cli/sizes.hpp"
#include "export/compare_text.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/svg.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <optional>
#include <string>

namespace memviz::cli {

namespace {

/// One of the two files with what was read from it.
struct Side {
  std::string file;
  std::string name; ///< in the picture
  Snapshot snapshot;
  Replay accounts;
  std::vector<std::string> warnings; ///< each with that name
};

Side load_side(const std::string& file, const std::string& name, const MomentRequest& moment,
               const Arguments& arguments) {
  Loaded loaded = load(file, arguments, moment);
  const std::string& shown = arguments.redactor() == nullptr ? name : loaded.name;
  Side side{loaded.name, shown, std::move(loaded.snapshot), std::move(loaded.accounts), {}};
  for (const std::string& warning : all_warnings(side.snapshot, side.accounts))
    side.warnings.push_back(side.name + ": " + warning);
  if (arguments.has("quiet")) return side;
  say_warnings(side.file, side.snapshot, side.accounts);
  for (const std::string& hint : end_hints(side.accounts.devices))
    say_message(side.file + ": " + hint);
  return side;
}

bool has_device(const Snapshot& snapshot, std::uint32_t device) {
  const auto devices = snapshot.devices();
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

/// A device may be new or gone; one that neither file has is a mistake.
void check_devices(const Side& before, const Side& after, std::optional<std::uint32_t> device) {
  if (device && has_device(before.snapshot, *device)) return;
  check_device(after.file, after.snapshot, device);
}

CompareOptions compare_options(const TreeChoice& choice, FrameMatch match, const Side& before, const Side& after) {
  const bool before_has_more = before.snapshot.devices().size() > after.snapshot.devices().size();
  const Snapshot& wider = before_has_more ? before.snapshot : after.snapshot;
  CompareOptions options;
  options.match = match;
  options.tree = resolved(choice, wider);
  if (choice.group || choice.view) return options;
  // By default streams are not told apart: their numbers differ from one process to the next.
  std::erase(options.tree.levels, Level::stream);
  return options;
}

std::optional<std::string> exceeded_message(const Comparison& comparison, const Threshold& threshold,
                                            const std::string& given, const Side& after) {
  const std::uint64_t before_bytes = comparison.before.allocated_bytes;
  if (!is_exceeded(threshold, before_bytes, comparison.after.allocated_bytes)) return std::nullopt;
  const std::int64_t growth_bytes = comparison.allocated_delta_bytes();
  std::string message = fmt::format("{}: allocated memory grew by {} ({} of {}), more than --fail-over {} allows",
                                    after.file, format_bytes(static_cast<std::uint64_t>(growth_bytes)),
                                    format_percent(static_cast<std::uint64_t>(growth_bytes), before_bytes),
                                    format_bytes(before_bytes), given);
  const auto grows_less = [](const UserLineChange& one, const UserLineChange& other) {
    return one.change.delta_bytes() < other.change.delta_bytes();
  };
  const auto culprit = std::max_element(comparison.changes.begin(), comparison.changes.end(), grows_less);
  if (culprit != comparison.changes.end() && culprit->change.delta_bytes() > 0) {
    message += fmt::format("; the most by {} ({})", node_label(comparison.frames, culprit->key),
                           format_delta(culprit->change.delta_bytes()));
  }
  return message;
}

struct Request {
  TreeChoice choice;
  SvgOptions svg;
  FrameMatch match = FrameMatch::line;
  std::optional<Threshold> threshold;
  MomentRequest moment;
  std::optional<std::string> output;
  bool quiet = false;
};

Request request_of(const Arguments& arguments) {
  Request request;
  request.choice = tree_choice(arguments);
  request.svg = svg_options(arguments, request.choice);
  request.match = chosen<FrameMatch>("match", arguments.value("match").value_or("line"),
                                     {{"line", FrameMatch::line}, {"function", FrameMatch::function}});
  if (const auto limit = arguments.value("fail-over")) request.threshold = parse_threshold("fail-over", *limit);
  request.output = arguments.value("output");
  request.quiet = arguments.has("quiet");
  request.moment = moment_of(arguments);
  check_picture_output(arguments, request.output);
  if (arguments.operands()[0] == "-" && arguments.operands()[1] == "-")
    throw UsageError("only one of the two snapshots can be standard input");
  return request;
}

/// The devices compared, and who wrote the file.
std::vector<std::string> facts_of(const Side& side, std::optional<std::uint32_t> device) {
  std::vector<std::string> names;
  for (const std::uint32_t present : side.snapshot.devices())
    if (!device || *device == present) names.push_back(device_name(present, side.snapshot.origin.is_cpu));
  constexpr std::size_t kMostNames = 4;
  std::vector<std::string> facts;
  if (names.size() > kMostNames)
    facts.push_back(fmt::format("{} devices", names.size()));
  else if (!names.empty())
    facts.push_back(fmt::format("{}", fmt::join(names, ", ")));
  facts.push_back(moments_text(stats_of(side.accounts, device)));
  if (!side.snapshot.origin.generation.empty()) facts.push_back(side.snapshot.origin.generation);
  return facts;
}

std::string drawn(const Request& request, const Comparison& comparison, const Side& before, const Side& after) {
  std::vector<std::string> warnings = before.warnings;
  warnings.insert(warnings.end(), after.warnings.begin(), after.warnings.end());
  ComparePicture picture{before.name, after.name, comparison, std::move(warnings)};
  picture.before_facts = facts_of(before, request.choice.device);
  picture.after_facts = facts_of(after, request.choice.device);
  return compare_svg(picture, request.svg);
}

void write_results(const Arguments& arguments, const Request& request, const Comparison& comparison,
                   const std::string& picture) {
  const std::string lists = segment_lists(comparison);
  const std::string summary = compare_text(comparison);
  for (const std::string_view text : {std::string_view(lists), std::string_view(summary), std::string_view(picture)})
    check_redacted(arguments, text);
  if (request.output == "-")
    say(lists);
  else
    print(lists);
  if (!request.quiet) say(summary);
  if (request.output) write_picture(arguments, *request.output, picture);
}

int run(const Arguments& arguments) {
  const Request request = request_of(arguments);
  const std::string& before_file = arguments.operands()[0];
  const std::string& after_file = arguments.operands()[1];
  // main/run.pickle and branch/run.pickle are told apart by their folders only.
  const bool is_same_name = picture_name(before_file) == picture_name(after_file);
  const Side before =
      load_side(before_file, is_same_name ? before_file : picture_name(before_file), request.moment, arguments);
  const Side after =
      load_side(after_file, is_same_name ? after_file : picture_name(after_file), request.moment, arguments);
  check_devices(before, after, request.choice.device);
  const Comparison comparison = compare_snapshots({before.snapshot, before.accounts}, {after.snapshot, after.accounts},
                                                  compare_options(request.choice, request.match, before, after));
  write_results(arguments, request, comparison,
                request.output ? drawn(request, comparison, before, after) : std::string());
  if (!request.threshold) return kSuccess;
  const auto message =
      exceeded_message(comparison, *request.threshold, arguments.value("fail-over").value_or(""), after);
  if (!message) return kSuccess;
  say_message(*message);
  return kOverThreshold;
}

} // namespace

Command compare_command() {
  return {
      .name = "compare",
      .operands = "BEFORE AFTER [-o FILE] [options]",
      .operand_count = 2,
      .summary = "what changed from one snapshot to another, as lists and a picture",
      .text = "Prints the addresses of the segments that only one of the two has, and draws the difference by stack. "
              "With --fail-over the exit code is 3 when allocated memory grew by more than that.",
      .examples = "  memviz compare before.pickle after.pickle -o diff.svg\n"
                  "  memviz compare main.pickle pull.pickle --match function --fail-over 2%\n",
      .options = joined({{{"output", 'o', "FILE",
                           "the picture; - is standard output, and then the lists go to standard "
                           "error (default: no picture)"},
                          {"match", '\0', "HOW",
                           "what makes two frames the same. line: file, function and line "
                           "(default); function: an edited file still matches"},
                          {"fail-over", '\0', "LIMIT",
                           "exit with code 3 when allocated memory grew by more than this "
                           "size or percentage, for example 500M, 1GiB or 2%"},
                          {"view", '\0', "NAME",
                           "memory: by stream, state and stack; segments: by stream, segment, "
                           "state and stack (default: by state and stack)"}},
                         tree_options(),
                         {device_option(), moment_option("auto")},
                         picture_options(),
                         redact_options(),
                         general_options()}),
      .run = run,
  };
}

} // namespace memviz::cli
