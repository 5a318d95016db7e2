#include "memviz/leaks.hpp"

#include "answers/scope_options.hpp"
#include "answers/sizes.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/step_options.hpp"
#include "cli/frame/text_outputs.hpp"
#include "memviz/answers.hpp"
#include "story/leaks_words_gate.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace memviz::cli {

namespace {

struct LeaksCommand : CommandOptions {
  TextOutputs outputs;
  LeakOptions question;                    ///< an annotation in it has its name from the command line
  std::optional<std::uint64_t> most_bytes; ///< maximum growth of a device per step
};

OptionList<LeaksCommand> leaks_options() {
  return joined<LeaksCommand>(
      {within<LeaksCommand>(&LeaksCommand::question, step_options()),
       within<LeaksCommand>(
           &LeaksCommand::question,
           {parsed({"capacity", '\0', "SIZE",
                    "what PyTorch can use of the device, for example 80GB (default: known if the recording has an "
                    "out-of-memory error)"},
                   &LeakOptions::capacity_bytes, parse_bytes)}),
       {parsed({"fail-over", '\0', "SIZE",
                "exit with code 3 if a device grows by more than this size per step, which needs a unit, with medium "
                "or high confidence; with code 1 if that is unknown, because the steps are a guess or there are none: "
                "declare them with --steps"},
               &LeaksCommand::most_bytes, parse_bytes_with_unit)},
       within<LeaksCommand>(&LeaksCommand::question, {parsed(device_text(), &LeakOptions::device, parse_device)}),
       within<LeaksCommand>(&LeaksCommand::outputs, TextOutputs::options()),
       line_options<LeaksCommand>(),
       kinds_options<LeaksCommand>(),
       snapshot_options<LeaksCommand>()});
}

FileAnswer leaks_of(const std::string& file, const LeaksCommand& options) {
  LeakOptions question = options.question;
  question.steps = step_choice_of(options.file, question.steps);
  Loaded loaded = load_file(file, options.file, wants_of(question), question.device);
  const std::string name = loaded.name;
  const LeaksAnswer leaks = naming_file(name, [&] { return leaks_answer(question, std::move(loaded)); });
  FileAnswer answer;
  if (const auto limit = options.most_bytes) {
    const Recording& recording = *leaks.loaded.state.recording;
    for (const std::string& text : exceeded_texts(recording, leaks.devices, *limit)) {
      options.file.say(name + ": " + text);
      answer.exit_code = kOverThreshold;
    }
    if (answer.exit_code == kSuccess) naming_file(name, [&] { require_judged(recording, leaks.devices, *limit); });
  }
  if (options.outputs.wants_text()) answer.text = text_of(leaks);
  if (options.outputs.wants_json()) answer.json = json_of(leaks);
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
