#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/text_outputs.hpp"
#include "memviz/export.hpp"

#include <string>

namespace memviz::cli {

namespace {

int run_stats(const Arguments& arguments) {
  const TextOutputs outputs(arguments);
  const auto device = device_of(arguments);
  const MomentRequest moment = moment_of(arguments, "end");

  Loaded loaded = load(arguments.operands().front(), arguments, moment);
  check_device(loaded.name, *loaded.state.recording, device);
  loaded.state.devices = loaded.state.stats_of(device);
  if (!arguments.has("quiet")) say_warnings(loaded.name, loaded.state.all_warnings());
  outputs.write(
      arguments, [&] { return stats_text(loaded.name, loaded.state, device); },
      [&] { return stats_json(loaded.name, loaded.state); });
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
                  "  memviz stats mem.pickle --at peak\n"
                  "  memviz stats mem.pickle --json - | jq '.devices[].peak_requested_bytes'\n",
      .options = joined(
          {TextOutputs::options(), {device_option(), moment_option("end")}, redact_options(), general_options()}),
      .run = run_stats,
  };
}

} // namespace memviz::cli
