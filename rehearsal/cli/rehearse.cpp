#include "answers/choice.hpp"
#include "answers/sizes.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/text_outputs.hpp"
#include "cli/rehearse_runs.hpp"
#include "io/program.hpp"
#include "memviz/device_id.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/version.hpp"
#include "run/installation.hpp"
#include "run/profiles.hpp"
#include "run/rehearsal_run.hpp"
#include "verdict/fit_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <vector>

namespace memviz::cli {

namespace {

using rehearse::Setup;

struct RehearseCommand : CommandOptions {
  std::vector<std::string> gpus{"h100-80"};
  std::optional<std::uint64_t> devices;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> outside_bytes;
  std::string output = "memviz-rehearsal";
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> requests;
  bool leaves_recording = false;
  bool leaves_init_out = false;
  std::uint64_t max_entries = 200'000;
  AxisOptions runs;
  bool both_ends = false;
  rehearse::Values values = rehearse::Values::automatic;
  std::optional<std::string> json;
};

const Choices<rehearse::Values> kValues{{word_of(rehearse::Values::automatic), rehearse::Values::automatic},
                                        {word_of(rehearse::Values::on), rehearse::Values::on},
                                        {word_of(rehearse::Values::off), rehearse::Values::off}};

OptionText values_option() {
  OptionText text{
      "values", '\0', "auto|on|off",
      "compute small integers and conditions on the CPU, for programs that decide by them: auto (default) runs the "
      "program a second time, with values, if it reads any that may decide its control flow, and reports both runs if "
      "they differ"};
  text.value_alone = "on";
  return text;
}

OptionList<RehearseCommand> rehearse_options() {
  constexpr std::uint64_t kMost = 1'000'000'000;
  const OptionList<FileOptions> general{
      flag({"quiet", 'q', "", "print no line to standard error for each run"}, &FileOptions::is_quiet),
      help_option<FileOptions>()};
  const OptionList<RehearseCommand> own{
      parsed(list_of({"gpu", '\0', "GPU|FILE,...",
                      fmt::format(
                          "the GPU (default: h100-80): {}; a unique prefix of a name, the card's own name, such as RTX "
                          "4090 or A100-80GB, or, with a '/' in it, the file of a profile. With several, the program "
                          "runs on each",
                          fmt::join(rehearse::known_gpus(), ", "))},
                     rehearse::known_gpus()),
             &RehearseCommand::gpus,
             [](std::string_view /*option*/, const std::string& word) { return rehearse::parse_gpus(word); }),
      parsed({"devices", '\0', "N", "the number of these GPUs (default: 1)"}, &RehearseCommand::devices,
             parse_up_to<kMostDeviceIds>),
      parsed({"memory", '\0', "SIZE", "the memory of each, instead of the profile's, for example 24GiB"},
             &RehearseCommand::memory_bytes, parse_bytes),
      rare(
          parsed({"outside", '\0', "SIZE",
                  "memory of each that kernels and libraries (cuBLAS, cuDNN, NCCL) take outside PyTorch in addition to "
                  "the context, from the first kernel on, for example 0.25GiB: nvidia-smi minus what PyTorch reserved "
                  "and the context (default: 240 MiB on an H100 or H200, where it was measured; for a server a model, "
                  "if there is one; else 0, and an answer that this may turn is \"may fit\")"},
                 &RehearseCommand::outside_bytes, parse_bytes)),
      verbatim(
          {"output", 'o', "FOLDER", "the folder of the snapshots (default: memviz-rehearsal); no file is replaced"},
          &RehearseCommand::output),
      parsed(
          {"steps", '\0', "N", "end each process after this many steps of a PyTorch optimizer, as if it were finished"},
          &RehearseCommand::steps, parse_up_to<kMost>),
      parsed({"requests", '\0', "N",
              "end an inference server (vLLM, SGLang) after this many requests of the maximum length; 0: as soon as it "
              "is ready (default: as many as its KV cache holds at once)"},
             &RehearseCommand::requests, parse_up_to<kMost, 0>),
      rare(flag({"no-init", '\0', "",
                 "skip the random initial values of large weights on the CPU, which saves minutes and gigabytes on the "
                 "host; a program that reads them there may behave differently"},
                &RehearseCommand::leaves_init_out)),
      rare(flag({"no-record", '\0', "", "leave recording to the program; who holds the peak is then unknown"},
                &RehearseCommand::leaves_recording)),
      rare(parsed({"max-entries", '\0', "N", "the number of events kept in the history (default: 200000)"},
                  &RehearseCommand::max_entries, parse_up_to<kMost>)),
      rare(flag({"late", '\0', "",
                 "run it a second time, with memory used on other streams becoming free as late as possible on a real "
                 "GPU: only when the host waits. Reports both if they differ; the one that takes more decides"},
                &RehearseCommand::both_ends)),
      rare(one_of(values_option(), &RehearseCommand::values, kValues)),
      json_option(&RehearseCommand::json, "instead of the text"),
  };
  return joined<RehearseCommand>({own, within<RehearseCommand>(&RehearseCommand::runs, axis_options()),
                                  within<RehearseCommand>(&RehearseCommand::file, general)});
}

Setup setup_of(const RehearseCommand& options, const std::string& gpu) {
  Setup setup;
  setup.devices = static_cast<std::uint32_t>(options.devices.value_or(1));
  setup.max_entries = options.max_entries;
  setup.steps = options.steps;
  setup.requests = options.requests;
  setup.memory_bytes = options.memory_bytes;
  setup.records = !options.leaves_recording;
  setup.leaves_init_out = options.leaves_init_out;
  setup.output = options.output;
  setup.both_ends = options.both_ends;
  setup.values = options.values;
  setup.say = [file = options.file](const std::string& line) { file.advise(fmt::format("rehearse: {}", line)); };
  setup.version = version();
  if (options.output.empty() || options.output == "-")
    throw UsageError("-o must be a folder, which gets a snapshot from each process");
  setup.folder = rehearse::rehearsal_folder(own_file());
  setup.profile_file = rehearse::profile_file(setup.folder, gpu);
  setup.profile = rehearse::read_profile(setup.profile_file);
  if (setup.memory_bytes) {
    constexpr std::uint64_t kMostGibibytes = 1024;
    if (*setup.memory_bytes < kMostGibibytes)
      throw UsageError(fmt::format("--memory {0}: a number alone is bytes; do you mean {0}GiB?", *setup.memory_bytes));
    const std::uint64_t taken_bytes = setup.profile.context_bytes + setup.profile.system_bytes;
    if (*setup.memory_bytes <= taken_bytes)
      throw UsageError(fmt::format("--memory {}: the context{} alone takes {}", format_bytes(*setup.memory_bytes),
                                   setup.profile.system_bytes > 0 ? " with the system" : "",
                                   format_bytes(taken_bytes)));
    setup.profile.total_bytes = *setup.memory_bytes;
    setup.profile.least_total_bytes = 0;
    setup.profile.most_total_bytes = 0;
  }
  setup.has_outside = options.outside_bytes.has_value();
  setup.outside_bytes = options.outside_bytes.value_or(0);
  if (setup.outside_bytes > setup.profile.total_bytes - setup.profile.context_bytes)
    throw UsageError(fmt::format("--outside {}: {} has {}, of which the context takes {}",
                                 format_bytes(setup.outside_bytes), setup.profile.name,
                                 format_bytes(setup.profile.total_bytes), format_bytes(setup.profile.context_bytes)));
  return setup;
}

/// One for each GPU, most memory first.
std::vector<Setup> setups_of(const RehearseCommand& options) {
  std::vector<Setup> setups;
  for (const std::string& gpu : options.gpus) {
    setups.push_back(setup_of(options, gpu));
    for (std::size_t i = 0; i + 1 < setups.size(); ++i)
      if (setups[i].profile.name == setups.back().profile.name)
        throw UsageError(fmt::format("--gpu: {} is named twice", setups.back().profile.name));
  }
  std::ranges::stable_sort(
      setups, [](const Setup& one, const Setup& other) { return one.profile.total_bytes > other.profile.total_bytes; });
  return setups;
}

int run_rehearse(const RehearseCommand& given) {
  RehearseCommand options = given;
  options.runs.keeps_launcher = options.devices.has_value();
  if (options.devices && options.runs.world.ranks)
    throw UsageError("--devices excludes --world; use --local-world for the GPUs of a node");
  if (options.gpus.size() > 1 && options.memory_bytes)
    throw UsageError("several GPUs exclude --memory, which replaces the memory of one");
  check(options.runs, options.operands);
  check_outputs(options, {{"--json", options.json}});
  const rehearse::FitReport report =
      run_points(options.runs, setups_of(options), options.operands,
                 [&](const std::string& line) { options.file.advise(fmt::format("rehearse: {}", line)); });
  if (options.json)
    write_output(options.file, *options.json, fit_json(report));
  else
    write_text(options.file, "-", fit_text(report, text_columns()));
  return rehearse::exit_code(report);
}

} // namespace

Command rehearse_command() {
  const CommandText text{
      .name = "rehearse",
      .operands = "[options] -- PROGRAM [ARGUMENT...]",
      .summary =
          "whether a program fits on a GPU, to the byte: runs it on a made-up one, with PyTorch's real allocator",
      .text = "Runs the program unchanged on a machine that needs no GPU: the CUDA libraries are made up, PyTorch's "
              "allocator is the real one. Reports whether the memory of the chosen GPU is enough, what is left, who "
              "holds the peak, and if it fails, why. Kernels compute nothing, and values read back are zeros; if these "
              "may decide its control flow, the program runs a second time with small values computed. Each Python "
              "process with torch leaves a snapshot, which is marked as rehearsed. C++ programs also run, and are "
              "measured; they leave a snapshot only with their own recorder. Exit codes: 0 it fits, 3 it does not; the "
              "program's own (128 + N after signal N) if it fails for another reason; 1 if it never used a GPU; 2 bad "
              "usage, or no such program. With several points: 0 it fits at one of them, 3 at none.",
      .examples =
          "  memviz rehearse -- python train.py --batch 32\n"
          "  memviz rehearse --gpu a100-40 --devices 2 --steps 3 -- torchrun --nproc-per-node 2 train.py\n"
          "  memviz rehearse --steps 3 --search 'BATCH=1..256' -- python train.py --batch {}\n"
          "  memviz rehearse --search 'BATCH=1..64' --search 'LEN=1024..16384' -- python train.py {BATCH} {LEN}\n"
          "  memviz rehearse --gpu h100,l4 --search TP=1,2,4 --search 'BATCH=1..64' --world 8 -- python train.py\n"
          "  memviz rehearse --levers -- python train.py\n"
          "  memviz rehearse --world 512 --steps 3 -- python train.py\n"
          "  memviz rehearse --gpu h100,a100-40,4090 -- python train.py\n"
          "  memviz rehearse --share 'python serve.py' -- python train.py\n"
          "  memviz rehearse --compare-with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True -- python train.py\n",
      .takes_program = true,
  };
  return command(text, rehearse_options(), run_rehearse);
}

} // namespace memviz::cli
