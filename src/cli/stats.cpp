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

int run_stats(const StatsOptions& options) {
  options.outputs.check(options);
  const std::optional<DeviceId> device = options.scope.device;
  Loaded loaded = load_one(options, {.moment = moment_of(options.scope), .kinds = true, .peak_kinds = true}, device);
  if (device) loaded.state.keep_figures_of(*device);
  options.outputs.write(
      options.file, [&] { return stats_text(loaded.name, loaded.state, device, loaded.peak_kinds); },
      [&] { return stats_json(loaded.name, loaded.state, loaded.peak_kinds); });
  return kSuccess;
}

} // namespace

Command stats_command() {
  const CommandText text{
      .name = "stats",
      .operands = "SNAPSHOT [options]",
      .operand_count = 1,
      .summary = "totals, accounts, largest users, segment map and settings as text or JSON",
      .text = "Prints for each device what is reserved, allocated and free, by pool and stream; whether the recorded "
              "allocations add up; the peak; what kinds of memory are in use (parameters, gradients, activations, ...) "
              "and how that is known; the lines of your own code that hold most; and a map of the segments.",
      .examples = "  memviz stats mem.pickle\n"
                  "  memviz stats mem.pickle --at peak\n"
                  "  memviz stats mem.pickle --json - | jq '.devices[].peak_requested_bytes'\n",
  };
  return command(text, stats_options(), run_stats);
}

} // namespace memviz::cli
