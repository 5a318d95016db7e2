#include "cli/command.hpp"
#include "cli/scope.hpp"
#include "cli/snapshot_file.hpp"
#include "cli/text_outputs.hpp"
#include "memviz/export.hpp"

#include <string>

namespace memviz::cli {

namespace {

struct StatsOptions : CommandOptions {
  TextOutputs outputs;
  Scope scope;
};

OptionList<StatsOptions> stats_options() {
  return joined<StatsOptions>({within<StatsOptions>(&StatsOptions::outputs, TextOutputs::options()),
                               within<StatsOptions>(&StatsOptions::scope, scope_options("end")),
                               kinds_options<StatsOptions>(), snapshot_options<StatsOptions>()});
}

FileAnswer stats_of(const std::string& file, const StatsOptions& options) {
  const std::optional<DeviceId> device = options.scope.device;
  Loaded loaded =
      load_file(file, options.file, {.moment = moment_of(options.scope), .kinds = true, .peak_kinds = true}, device);
  // Its warnings are then of that device alone.
  if (device) std::erase_if(loaded.state.devices, [&](const DeviceState& other) { return other.device != *device; });
  FileAnswer answer;
  if (options.outputs.wants_text()) answer.text = stats_text(loaded.name, loaded.state, device, loaded.peak_kinds);
  if (options.outputs.wants_json()) answer.json = stats_json(loaded.name, loaded.state, loaded.peak_kinds);
  return answer;
}

int run_stats(const StatsOptions& given) {
  StatsOptions options = given;
  options.outputs.check(options);
  options.file.are_warnings_shown = options.outputs.shows_text_beside_messages();
  return answer_files(options, options.outputs, [&](const std::string& file) { return stats_of(file, options); });
}

} // namespace

Command stats_command() {
  const CommandText text{
      .name = "stats",
      .operands = "SNAPSHOT... [options]",
      .summary = "totals, accounts, largest users, segment map and settings as text or JSON",
      .text = "Prints for each device what is reserved, allocated and free, by pool and stream; whether the recorded "
              "allocations add up; the peak; what kinds of memory are in use (parameters, gradients, activations, ...) "
              "and how that is known; the lines of your own code that hold most; and a map of the segments.",
      .examples = "  memviz stats mem.pickle\n"
                  "  memviz stats mem.pickle --at peak\n"
                  "  memviz stats mem.pickle --json - | jq '.devices[].peak_requested_bytes'\n"
                  "  memviz stats rank*.pickle --json - | jq '.[].devices[].reserved_bytes'\n",
      .takes_several = true,
  };
  return command(text, stats_options(), run_stats);
}

} // namespace memviz::cli
