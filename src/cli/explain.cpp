#include "memviz/explain.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/picture_output.hpp"
#include "cli/sizes.hpp"
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

std::string drawn(const std::string& file, const Snapshot& snapshot, const Replay& accounts,
                  const std::vector<DeviceExplanation>& devices) {
  const ExplainPicture picture{.file = picture_name(file),
                               .state = snapshot,
                               .replay = accounts,
                               .devices = devices,
                               .warnings = all_warnings(snapshot, accounts)};
  return explain_svg(picture, {});
}

int run(const Arguments& arguments) {
  const auto json = arguments.value("json");
  const auto picture = arguments.value("output");
  if (json && picture && *json == *picture) throw UsageError("--json and -o name the same output");
  for (const auto& output : {json, picture})
    if (output) check_output_file(arguments, *output);
  const ExplainOptions options = options_of(arguments);

  if (picture) static_cast<void>(picture_format(arguments, *picture));

  const std::string& operand = arguments.operands().front();
  const std::string file = shown_name(operand, arguments);
  Snapshot snapshot = load_with_events(operand, arguments);
  naming_file(file, [&] {
    check_device(file, snapshot, options.device);
    const Snapshot start = before_first_event(snapshot);
    const Replay accounts = rewind(snapshot, failure_or_peak(snapshot));
    if (!arguments.has("quiet")) say_warnings(file, snapshot, accounts);
    const auto devices = explain(snapshot, accounts, start, options);
    if (json) write_output(arguments, *json, explain_json(file, snapshot, accounts, devices));
    if (picture) write_picture(arguments, *picture, drawn(file, snapshot, accounts, devices));
    if (!json && picture != "-") write_output(arguments, "-", explain_text(file, snapshot, accounts, devices));
  });
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
      .options = joined({{{"output", 'o', "FILE", "also draw it, as an SVG; - is standard output, instead of the text"},
                          {"json", '\0', "FILE", "write JSON there, - for standard output, instead of the text"},
                          {"capacity", '\0', "BYTES",
                           "memory of each device, for example 80GiB: no snapshot tells, and without it memory outside "
                           "PyTorch is not known"},
                          device_option()},
                         picture_format_options(),
                         redact_options(),
                         general_options()}),
      .run = run,
  };
}

} // namespace memviz::cli
