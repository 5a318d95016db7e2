#include "cli/command.hpp"
#include "cli/many_files.hpp"
#include "cli/scope.hpp"
#include "cli/snapshot_file.hpp"
#include "cli/text_outputs.hpp"
#include "memviz/answers.hpp"

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
  const StatsQuestion question{options.scope};
  const StatsAnswer stats =
      stats_answer(question, load_file(file, options.file, wants_of(question), question.scope.device));
  FileAnswer answer;
  if (options.outputs.wants_text()) answer.text = text_of(stats);
  if (options.outputs.wants_json()) answer.json = json_of(stats);
  return answer;
}

int run_stats(const StatsOptions& given) {
  StatsOptions options = given;
  find_files(options);
  options.outputs.check(options);
  options.file.are_warnings_shown = options.outputs.shows_text_beside_messages();
  return answer_each(options, options.outputs, stats_of);
}

} // namespace

Command stats_command() {
  const CommandText text{
      .name = "stats",
      .operands = "SNAPSHOT...|FOLDER... [options]",
      .summary = "totals, accounts, largest users, segment map and settings as text or JSON",
      .text = "Prints for each device what is reserved, allocated and free, by pool and stream; whether the recorded "
              "allocations add up; the peak; what kinds of memory are in use (parameters, gradients, activations, ...) "
              "and how that is known; the lines of your own code that hold most; and a map of the segments.",
      .examples = "  memviz stats mem.pickle\n"
                  "  memviz stats mem.pickle --at peak\n"
                  "  memviz stats mem.pickle --json - | jq '.devices[].peak_requested_bytes'\n"
                  "  memviz stats rank*.pickle --json - | jq '.devices[].reserved_bytes'\n",
      .takes_several = true,
  };
  return command(text, stats_options(), run_stats);
}

} // namespace memviz::cli
