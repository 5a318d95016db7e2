#include "memviz/explain.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/moment.hpp"
#include "cli/picture_output.hpp"
#include "cli/sizes.hpp"
#include "cli/text_outputs.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/svg.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace memviz::cli {

namespace {

ExplainOptions explain_options_of(const Arguments& arguments) {
  ExplainOptions options;
  options.device = device_of(arguments);
  if (const auto size = arguments.value("capacity")) options.capacity_bytes = parse_bytes("capacity", *size);
  return options;
}

/// What goes out; empty where it was not asked for.
struct Results {
  std::string json;
  std::string picture;
  std::string text;
};

/// Less than what PyTorch held and what was free cannot be the memory of a device; no verdict would be true of it.
void check_capacity(const std::vector<DeviceExplanation>& devices) {
  for (const DeviceExplanation& device : devices) {
    const MemoryLedger& ledger = device.ledger;
    const std::uint64_t known_bytes = ledger.reserved_bytes + ledger.device_free_bytes.value_or(0);
    if (!ledger.capacity_bytes || *ledger.capacity_bytes >= known_bytes) continue;
    throw UsageError(fmt::format("--capacity {} is too little: {} had {} or more, of which PyTorch held {}",
                                 format_bytes(*ledger.capacity_bytes),
                                 device_name(device.stats.device, device.stats.is_cpu), format_bytes(known_bytes),
                                 format_bytes(ledger.reserved_bytes)));
  }
}

Results results_of(const std::string& name, const std::shared_ptr<const Recording>& recording,
                   const MomentRequest& moment, const Arguments& arguments) {
  const ExplainOptions options = explain_options_of(arguments);
  check_device(name, *recording, options.device);
  const MemoryState state = rewind(recording, moment_in(moment, name, *recording));
  check_moment(moment, name, state.devices);
  if (!arguments.has("quiet")) say_warnings(name, state.all_warnings());
  const auto devices = explain(state, options);
  check_capacity(devices);

  const auto output = arguments.value("output");
  Results results;
  if (arguments.has("json")) results.json = explain_json(name, state, devices);
  if (!arguments.has("json") && output != "-") results.text = explain_text({name, state, devices}, text_columns());
  if (output) {
    const ExplainPicture picture{
        .file = picture_name(name), .state = state, .devices = devices, .warnings = warnings_and_losses(state)};
    results.picture = explain_svg(picture, {});
  }
  return results;
}

int run_explain(const Arguments& arguments) {
  const auto json = arguments.value("json");
  const auto output = arguments.value("output");
  if (json && output && *json == *output) throw UsageError("--json and -o name the same output");
  if (json) check_output_file(arguments, *json);
  check_picture_output(arguments, output);
  static_cast<void>(explain_options_of(arguments)); // before the work begins
  const MomentRequest moment = moment_of(arguments);

  const std::string name = shown_name(arguments.operands().front(), arguments);
  const auto recording = load_with_events(arguments.operands().front(), arguments);
  const Results results = naming_file(name, [&] { return results_of(name, recording, moment, arguments); });
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
                           "PyTorch is not known; less than a device had is an error"},
                          device_option(),
                          moment_option("auto")},
                         picture_format_options(),
                         redact_options(),
                         general_options()}),
      .run = run_explain,
  };
}

} // namespace memviz::cli
