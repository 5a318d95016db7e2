#include "memviz/baseline.hpp"

#include "cli/frame/baseline_file.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/outputs.hpp"
#include "memviz/baseline_json.hpp"

#include <optional>
#include <string>

namespace memviz::cli {

namespace {

struct BaselineCommand : CommandOptions {
  std::optional<std::string> output; ///< nullopt: standard output
};

OptionList<BaselineCommand> baseline_options() {
  return joined<BaselineCommand>(
      {{verbatim({"output", 'o', "FILE", "the output (default: standard output)"}, &BaselineCommand::output)},
       kinds_options<BaselineCommand>(),
       snapshot_options<BaselineCommand>()});
}

int run_baseline(const BaselineCommand& options) {
  check_outputs(options, {{"-o", options.output}});
  Baseline baseline;
  for (const std::string& file : options.operands)
    add_snapshot(baseline, file, options.file);
  write_output(options.file, options.output.value_or("-"), baseline_json(baseline));
  return kSuccess;
}

} // namespace

Command baseline_command() {
  const CommandText text{
      .name = "baseline",
      .operands = "SNAPSHOT... [-o FILE]",
      .summary = "a small file about a commit's memory, which compare accepts in place of a snapshot",
      .text = "Writes the peak and the end of each device, by line of your code and kind of memory, as JSON of at most "
              "100 KB, to keep with the code; lines that are too small for that are combined. Several recordings of "
              "one commit give the range that they span. `memviz compare base.json new.pickle --fail-over 1%` measures "
              "growth from the highest of them; docs/ci.md has complete workflows.",
      .examples = "  memviz baseline mem.pickle -o base.json\n"
                  "  memviz baseline first.pickle second.pickle third.pickle -o base.json\n"
                  "  memviz compare base.json new.pickle --fail-over peak=1%,end=1%,line=64MiB\n",
      .takes_several = true,
  };
  return command(text, baseline_options(), run_baseline);
}

} // namespace memviz::cli
