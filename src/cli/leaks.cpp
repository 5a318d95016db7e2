#include "memviz/leaks.hpp"

#include "answers/scope_options.hpp"
#include "answers/sizes.hpp"
#include "cli/command.hpp"
#include "cli/many_files.hpp"
#include "cli/messages.hpp"
#include "cli/snapshot_file.hpp"
#include "cli/step_options.hpp"
#include "cli/text_outputs.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/leaks_report.hpp"
#include "memviz/leaks_words.hpp"

#include <fmt/format.h>
#include <string>

namespace memviz::cli {

namespace {

struct LeaksCommand : CommandOptions {
  TextOutputs outputs;
  LeakOptions leaks;                       ///< an annotation in it has its name from the command line
  std::optional<std::uint64_t> most_bytes; ///< maximum growth of a device per step
};

OptionList<LeaksCommand> leaks_options() {
  const OptionList<LeakOptions> own{
      parsed({"capacity", '\0', "SIZE",
              "what PyTorch can use of the device, for example 80GB (default: known if the recording has an "
              "out-of-memory error)"},
             &LeakOptions::capacity_bytes, parse_bytes),
  };
  return joined<LeaksCommand>(
      {within<LeaksCommand>(&LeaksCommand::leaks, step_options()),
       within<LeaksCommand>(&LeaksCommand::leaks, own),
       {parsed({"fail-over", '\0', "SIZE",
                "exit with code 3 if a device grows by more than this size per step, which needs a unit, with medium "
                "or high confidence; with code 1 if that is unknown, because the steps are a guess or there are none: "
                "declare them with --steps"},
               &LeaksCommand::most_bytes, parse_bytes_with_unit)},
       within<LeaksCommand>(&LeaksCommand::leaks, {parsed(device_text(), &LeakOptions::device, parse_device)}),
       within<LeaksCommand>(&LeaksCommand::outputs, TextOutputs::options()),
       line_options<LeaksCommand>(),
       kinds_options<LeaksCommand>(),
       snapshot_options<LeaksCommand>()});
}

LeakOptions leak_options_of(const LeaksCommand& options) {
  LeakOptions leaks = options.leaks;
  leaks.steps = step_choice_of(options.file, options.leaks.steps);
  return leaks;
}

/// Reports which devices grow by more than allowed.
bool is_over(const FileOptions& options, const Loaded& loaded, const std::vector<DeviceLeaks>& devices,
             std::uint64_t most_bytes) {
  bool is_any = false;
  for (const DeviceLeaks& leaks : devices) {
    if (gate_of(leaks, most_bytes) != Gate::exceeded) continue;
    is_any = true;
    options.say(fmt::format("{}: {} grows by {} per step, more than the {} that --fail-over allows", loaded.name,
                            device_name(leaks.device, loaded.state.recording->origin.kind_of(leaks.device)),
                            format_bytes(leaks.bytes_per_step()), format_bytes(most_bytes)));
  }
  return is_any;
}

std::string no_steps_text(const Recording& recording, const Steps& steps) {
  const std::string reason = steps.is_guess() ? guess_note(steps) : steps_note(recording, steps);
  return fmt::format("--fail-over needs steps that are annotated or declared, and {}: set where they begin with "
                     "--steps annotation:NAME, --steps events:N or --steps time:US",
                     reason);
}

/// A gate that cannot be judged is not passed.
void require_judged(const MemoryState& state, const std::vector<DeviceLeaks>& devices, std::uint64_t most_bytes) {
  bool is_any = false;
  for (const DeviceLeaks& leaks : devices) {
    const std::string device = device_name(leaks.device, state.recording->origin.kind_of(leaks.device));
    const Gate gate = gate_of(leaks, most_bytes);
    is_any = is_any || gate == Gate::passes;
    if (gate == Gate::no_steps) {
      throw Error(fmt::format("{}: {}{}", device, no_steps_text(*state.recording, leaks.steps),
                              devices.size() > 1 ? ", or select a device with --device" : ""));
    }
    if (gate == Gate::too_few_steps) {
      throw Error(fmt::format(
          "{}: grows by {} per step, more than --fail-over allows, but {} are too few to be sure: record at least {}",
          device, format_bytes(leaks.bytes_per_step()), format_counted(leaks.steps.starts.size(), "step"),
          kFewestSureSteps));
    }
  }
  if (is_any) return;
  if (!devices.empty()) throw Error(no_steps_text(*state.recording, devices.front().steps));
  throw Error("--fail-over has nothing to check: no events on any device; record with "
              "torch.cuda.memory._record_memory_history()");
}

FileAnswer leaks_of(const std::string& file, const LeaksCommand& options) {
  const Loaded loaded = load_file(file, options.file, {.events = true, .kinds = true}, options.leaks.device);
  std::vector<DeviceLeaks> devices =
      naming_file(loaded.name, [&] { return find_leaks(loaded.state, leak_options_of(options)); });
  add_keepers(devices, *loaded.state.recording);
  const std::optional<std::uint64_t> limit = options.most_bytes;
  const bool exceeds = limit && is_over(options.file, loaded, devices, *limit);
  if (limit && !exceeds) naming_file(loaded.name, [&] { require_judged(loaded.state, devices, *limit); });
  FileAnswer answer;
  if (options.outputs.wants_text()) answer.text = leaks_text(loaded.name, loaded.state, devices);
  if (options.outputs.wants_json()) answer.json = leaks_json(loaded.name, loaded.state, devices);
  answer.exit_code = exceeds ? kOverThreshold : kSuccess;
  return answer;
}

int run_leaks(const LeaksCommand& given) {
  LeaksCommand options = given;
  find_files(options);
  options.outputs.check(options);
  return answer_each(options, options.outputs, leaks_of);
}

} // namespace

Command leaks_command() {
  const CommandText text{
      .name = "leaks",
      .operands = "SNAPSHOT...|FOLDER... [options]",
      .summary = "the stacks whose memory grows from step to step, and how many steps are left",
      .text =
          "Divides the recording into steps, and compares the lowest live bytes of each stack in each step. "
          "Distinguishes stacks that grow until the end (with bytes per step, the confidence, and when the device is "
          "full), that are freed late (reference cycles), that are replaced by larger blocks (a cache that torch.cat() "
          "extends), and that grew and stopped (caches). First of all, in steps or not, it names what earlier calls of "
          "a "
          "line keep. Steps are found from annotations (memviz_torch's step(), "
          "ProfilerStep, Optimizer.step, any record_function that has a forward and a backward pass each time) or from "
          "stacks that allocate at regular intervals. All other steps are a guess, because the layers of one pass "
          "repeat as steps do: growth in them never has high confidence, and --fail-over does not accept them. A loop "
          "without a backward pass, as in a server, needs --steps annotation:NAME, ProfilerStep or step().",
      .examples = "  memviz leaks mem.pickle\n"
                  "  memviz leaks mem.pickle --steps annotation:train_step --capacity 80GB\n"
                  "  memviz leaks mem.pickle --json leaks.json --fail-over 1MiB\n",
      .takes_several = true,
  };
  return command(text, leaks_options(), run_leaks);
}

} // namespace memviz::cli
