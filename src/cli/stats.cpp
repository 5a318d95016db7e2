#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/hints.hpp"
#include "cli/messages.hpp"
#include "memviz/export.hpp"

#include <string>

namespace memviz::cli {

namespace {

int run(const Arguments& arguments) {
  const auto json = arguments.value("json");
  const auto text = arguments.value("output");
  if (json && text && *json == *text) throw UsageError("--json and -o name the same output");
  for (const auto& output : {json, text})
    if (output) check_output_file(arguments, *output);
  const auto device = device_of(arguments);
  check_moment(arguments);

  auto [snapshot, accounts, file] = load(arguments.operands().front(), arguments);
  check_device(file, snapshot, device);
  accounts.devices = stats_of(accounts, device);
  if (!arguments.has("quiet")) say_warnings(file, snapshot, accounts);
  const std::string for_programs = json ? stats_json(file, snapshot, accounts) : "";
  const std::string for_people = text || !json ? stats_text(file, snapshot, accounts, device) : "";
  check_redacted(arguments, for_people);
  if (json) write_output(arguments, *json, for_programs);
  if (text || !json) write_output(arguments, text.value_or("-"), for_people);
  return kSuccess;
}

} // namespace

Command stats_command() {
  return {
      .name = "stats",
      .operands = "SNAPSHOT [options]",
      .operand_count = 1,
      .summary = "totals, accounts, largest users, segment map and settings as text or JSON",
      .text = "Prints for each device what is reserved, allocated and free, by pool and stream; whether the recorded "
              "allocations add up; the peak; the lines of your own code that hold most; and a map of the segments.",
      .examples = "  memviz stats mem.pickle\n"
                  "  memviz stats mem.pickle --json - | jq '.devices[].peak_requested_bytes'\n",
      .options = joined({{{"output", 'o', "FILE", "where the text goes (default: standard output)"},
                          {"json", '\0', "FILE", "write JSON there, - for standard output, instead of the text"},
                          device_option()},
                         redact_options(),
                         general_options()}),
      .run = run,
  };
}

} // namespace memviz::cli
