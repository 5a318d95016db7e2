#include "answers/choice.hpp"
#include "answers/scope_options.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/step_options.hpp"
#include "cli/frame/text_outputs.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace memviz::cli {

namespace {

enum class StatsBy : std::uint8_t { device, step };

struct StatsOptions : CommandOptions {
  TextOutputs outputs;
  Scope scope;
  StatsBy by = StatsBy::device;
  LeakOptions leaks; ///< its steps
};

OptionList<StatsOptions> stats_options() {
  return joined<StatsOptions>({within<StatsOptions>(&StatsOptions::outputs, TextOutputs::options()),
                               within<StatsOptions>(&StatsOptions::scope, scope_options(Scope())),
                               {one_of<StatsOptions, StatsBy, StatsBy>(
                                   {"by", '\0', "WHAT",
                                    "device (default), or step: a table of steps instead, with the peak, the end, and "
                                    "the allocated and freed bytes of each"},
                                   &StatsOptions::by, {{"device", StatsBy::device}, {"step", StatsBy::step}})},
                               within<StatsOptions>(&StatsOptions::leaks, all_rare(step_options())),
                               kinds_options<StatsOptions>(),
                               snapshot_options<StatsOptions>()});
}

FileAnswer steps_of(const std::string& file, const StatsOptions& options) {
  const StepsQuestion question{options.scope.device, step_choice_of(options.file, options.leaks.steps)};
  Loaded loaded = load_file(file, options.file, wants_of(question), question.device);
  const std::string name = loaded.name;
  const StepsAnswer steps = naming_file(name, [&] { return steps_answer(question, std::move(loaded)); });
  FileAnswer answer;
  if (options.outputs.wants_text()) answer.text = text_of(steps);
  if (options.outputs.wants_json()) answer.json = json_of(steps);
  return answer;
}

FileAnswer stats_of(const std::string& file, const StatsOptions& options) {
  if (options.by == StatsBy::step) return steps_of(file, options);
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
  if (given.by == StatsBy::device && given.leaks.steps.source != StepSource::none)
    throw UsageError("--steps sets where steps begin: it needs --by step");
  if (given.by == StatsBy::step && given.scope.at.kind != MomentKind::end)
    throw UsageError("--by step is about the whole recording: omit --at");
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
      .text = "Prints for each device the reserved, allocated and free memory, by pool and stream; whether the "
              "recorded allocations add up; the peak; the kinds of memory in use (parameters, gradients, activations, "
              "...) with their evidence; the lines of your own code that hold most; and a map of the segments.",
      .examples = "  memviz stats mem.pickle\n"
                  "  memviz stats mem.pickle --at peak\n"
                  "  memviz stats mem.pickle --by step\n"
                  "  memviz stats mem.pickle --json - | jq '.devices[].peak_requested_bytes'\n"
                  "  memviz stats rank*.pickle --json - | jq '.devices[].reserved_bytes'\n",
      .takes_several = true,
  };
  return command(text, stats_options(), run_stats);
}

} // namespace memviz::cli
