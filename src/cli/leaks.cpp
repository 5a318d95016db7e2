#include "memviz/leaks.hpp"

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/numbers.hpp"
#include "cli/sizes.hpp"
#include "cli/text_outputs.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>
#include <string>

namespace memviz::cli {

namespace {

std::uint64_t length_of(std::string_view digits, const std::string& word) {
  const auto length = whole_number<std::uint64_t>(digits);
  if (!length || *length == 0)
    throw UsageError(fmt::format("--steps {}: the length of a step must be a number above 0", word));
  return *length;
}

/// As the snapshot has it: with --redact a pseudonym, which keeps the number at the end of a name, and so the '*'.
std::string annotation_of(const Arguments& arguments, std::string_view name) {
  if (!name.ends_with('*')) return shown_annotation(arguments, name);
  return shown_annotation(arguments, name.substr(0, name.size() - 1)) + '*';
}

StepChoice steps_of(const Arguments& arguments) {
  const std::string word = arguments.value("steps").value_or("auto");
  const std::string_view text = word;
  if (text == "auto") return {};
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (kind == "annotation" && !rest.empty()) return {StepSource::annotation, annotation_of(arguments, rest), 0};
  if (kind == "events") return {StepSource::events, {}, length_of(rest, word)};
  if (kind == "time") return {StepSource::time, {}, length_of(rest, word)};
  throw UsageError(fmt::format("--steps must be auto, annotation:NAME, events:N or time:US, not '{}'", word));
}

LeakOptions leak_options_of(const Arguments& arguments) {
  LeakOptions options;
  options.steps = steps_of(arguments);
  options.device = device_of(arguments);
  if (const auto size = arguments.value("capacity")) options.capacity_bytes = parse_bytes("capacity", *size);
  return options;
}

/// Says which devices grow by more than allowed.
bool is_over(const std::string& file, const MemoryState& state, const std::vector<DeviceLeaks>& devices,
             std::uint64_t most_bytes) {
  bool is_any = false;
  for (const DeviceLeaks& leaks : devices) {
    if (gate_of(leaks, most_bytes) != Gate::exceeded) continue;
    is_any = true;
    say_message(fmt::format("{}: {} grows by {} a step, more than the {} that --fail-over allows", file,
                            device_name(leaks.device, state.recording->origin.is_cpu),
                            format_bytes(leaks.bytes_per_step()), format_bytes(most_bytes)));
  }
  return is_any;
}

std::string no_steps_text(const Steps& steps) {
  const std::string reason =
      steps.is_guess() ? "these are a guess, from stacks that allocate at even distances" : steps.note;
  return fmt::format(
      "--fail-over needs steps that are annotated or declared, and {}: say where they begin with --steps "
      "annotation:NAME, --steps events:N or --steps time:US",
      reason);
}

/// A gate that cannot be judged is not passed.
void require_judged(const MemoryState& state, const std::vector<DeviceLeaks>& devices, std::uint64_t most_bytes) {
  bool is_any = false;
  for (const DeviceLeaks& leaks : devices) {
    const std::string device = device_name(leaks.device, state.recording->origin.is_cpu);
    const Gate gate = gate_of(leaks, most_bytes);
    is_any = is_any || gate == Gate::passes;
    if (gate == Gate::no_steps) {
      throw Error(fmt::format("{}: {}{}", device, no_steps_text(leaks.steps),
                              devices.size() > 1 ? ", or name the device that counts with --device" : ""));
    }
    if (gate == Gate::too_few_steps) {
      throw Error(fmt::format("{}: grows by {} a step, more than --fail-over allows, but {} are too few to be sure: "
                              "record at least {}",
                              device, format_bytes(leaks.bytes_per_step()),
                              format_counted(leaks.steps.starts.size(), "step"), kFewestSureSteps));
    }
  }
  if (is_any) return;
  if (!devices.empty()) throw Error(no_steps_text(devices.front().steps));
  throw Error("--fail-over has nothing to look at: no events on any device; record with "
              "torch.cuda.memory._record_memory_history()");
}

int run_leaks(const Arguments& arguments) {
  const LeakOptions options = leak_options_of(arguments);
  const auto limit = arguments.value("fail-over");
  const std::uint64_t most_bytes = limit ? parse_bytes("fail-over", *limit) : 0;
  const TextOutputs outputs(arguments);

  const std::string& operand = arguments.operands().front();
  const std::string file = shown_name(operand, arguments);
  const auto recording = load_with_events(operand, arguments);
  check_device(file, *recording, options.device);
  const MemoryState state = naming_file(file, [&] { return replay(recording); });
  const std::vector<DeviceLeaks> devices = naming_file(file, [&] { return find_leaks(state, options); });
  if (!arguments.has("quiet")) say_warnings(file, state.all_warnings());
  const bool exceeds = limit && is_over(file, state, devices, most_bytes);
  if (limit && !exceeds) naming_file(file, [&] { require_judged(state, devices, most_bytes); });
  outputs.write(
      arguments, [&] { return leaks_text(file, state, devices); },
      [&] { return leaks_json(file, state, devices, state.all_warnings()); });
  return exceeds ? kOverThreshold : kSuccess;
}

} // namespace

Command leaks_command() {
  return {
      .name = "leaks",
      .operands = "SNAPSHOT [options]",
      .operand_count = 1,
      .summary = "stacks whose memory grows from step to step, and how many steps are left",
      .text =
          "Cuts the recording into steps, and compares the lowest live bytes of each stack in each step. Tells apart "
          "what grows until the end (with bytes a step, how sure that is, and when the device is full), what is freed "
          "late (reference cycles), and what grew and stopped (caches). Steps are found from annotations "
          "(ProfilerStep, Optimizer.step, any record_function that repeats) or from stacks that allocate at even "
          "distances. Steps found from stacks are a guess, because the layers of one pass repeat, too: what grows in "
          "them "
          "is never said with high confidence, and --fail-over does not take them.",
      .examples = "  memviz leaks mem.pickle\n"
                  "  memviz leaks mem.pickle --steps annotation:train_step --capacity 80GB\n"
                  "  memviz leaks mem.pickle --json leaks.json --fail-over 1MiB\n",
      .options = joined(
          {{{"steps", '\0', "HOW",
             "auto (default); annotation:NAME, one at each START of it (NAME* stands for all that begin so); "
             "events:N; time:US (microseconds)"},
            {"capacity", '\0', "SIZE",
             "what PyTorch can have of the device, for example 80GB (default: known where the recording has an "
             "out-of-memory error)"},
            {"fail-over", '\0', "SIZE",
             "exit with code 3 where a device grows by more than this a step, with medium or high confidence; with "
             "code 1 where that cannot be told, because no steps are annotated or declared with --steps"},
            device_option()},
           TextOutputs::options(),
           redact_options(),
           general_options()}),
      .run = run_leaks,
  };
}

} // namespace memviz::cli
