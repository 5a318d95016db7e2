#include "memviz/explain.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/moment.hpp"
#include "cli/picture_output.hpp"
#include "cli/sizes.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/svg.hpp"

#include <string>
#include <utility>

namespace memviz::cli {

namespace {

ExplainOptions options_of(const Arguments& arguments) {
  ExplainOptions options;
  options.device = device_of(arguments);
  if (const auto size = arguments.value("capacity")) options.capacity_bytes = parse_bytes("capacity", *size);
  return options;
}

/// Without --at, a device that did not fail is looked at at its peak.
MomentRequest failure_or(const Arguments& arguments) {
  MomentRequest moment = moment_of(arguments);
  if (moment.is_auto) moment.choice.kind = MomentKind::failure;
  return moment;
}

/// What goes out; empty where it was not asked for.
struct Results {
  std::string json;
  std::string picture;
  std::string text;
};

Results results_of(const std::string& name, Snapshot snapshot, const MomentRequest& moment,
                   const Arguments& arguments) {
  const ExplainOptions options = options_of(arguments);
  check_device(name, snapshot, options.device);
  const Snapshot start = before_first_event(snapshot);
  const Replay accounts = rewind(snapshot, moment_in(moment, name, snapshot));
  check_moment(moment, name, accounts);
  if (!arguments.has("quiet")) say_warnings(name, snapshot, accounts);
  const auto devices = explain(snapshot, accounts, start, options);

  const auto output = arguments.value("output");
  Results results;
  if (arguments.has("json")) results.json = explain_json(name, snapshot, accounts, devices);
  if (!arguments.has("json") && output != "-") results.text = explain_text(name, snapshot, accounts, devices);
  if (output) {
    const ExplainPicture picture{.file = picture_name(name),
                                 .state = snapshot,
                                 .replay = accounts,
                                 .devices = devices,
                                 .warnings = warnings_and_losses(snapshot, accounts)};
    results.picture = explain_svg(picture, {});
  }
  return results;
}

int run(const Arguments& arguments) {
  const auto json = arguments.value("json");
  const auto output = arguments.value("output");
  if (json && output && *json == *output) throw UsageError("--json and -o name the same output");
  if (json) check_output_file(arguments, *json);
  check_picture_output(arguments, output);
  static_cast<void>(options_of(arguments)); // before the work begins
  const MomentRequest moment = failure_or(arguments);

  const std::string name = shown_name(arguments.operands().front(), arguments);
  Snapshot snapshot = load_with_events(arguments.operands().front(), arguments);
  const Results results = naming_file(name, [&] { return results_of(name, std::move(snapshot), moment, arguments); });
  check_redacted(arguments, results.text);
  check_redacted(arguments, results.picture);
  if (json) write_output(arguments, *json, results.json);
  if (output) write_picture(arguments, *output, results.picture);
  if (!results.text.empty()) write_output(arguments, "-", results.text);
  return kSuccess;
}

} // namespace

Command explain_command() {
  return {
      .name = "explain",
      .operands = "SNAPSHOT [options]",
      .operand_count = 1,
      .summary = "why memory ran out or is fragmented, and what would have helped",
      .text = "Says for each device, the one that failed first: what was asked for and what was free, where every "
              "reserved byte was, and why that was not enough. What would have helped is computed by a replay of the "
              "recorded events through a model of PyTorch's allocator, and not told where the model does not reproduce "
              "the recording.",
      .examples = "  memviz explain oom.pickle\n"
                  "  memviz explain oom.pickle --capacity 80GiB -o why.svg\n"
                  "  memviz explain oom.pickle --json - | jq -r '.devices[0].verdict'\n",
      .options = joined({{{"output", 'o', "FILE", "also draw it; - is standard output, instead of the text"},
                          {"json", '\0', "FILE", "write JSON there, - for standard output, instead of the text"},
                          {"capacity", '\0', "SIZE",
                           "memory of each device, for example 80GiB: no snapshot tells, and without it memory outside "
                           "PyTorch is not known"},
                          device_option(),
                          moment_option("oom where there is one, else peak")},
                         picture_format_options(),
                         redact_options(),
                         general_options()}),
      .run = run,
  };
}

} // namespace memviz::cli
