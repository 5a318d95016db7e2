#include "answers/question_options.hpp"
#include "answers/scope_options.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/picture_output.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/story.hpp"
#include "memviz/svg.hpp"

#include <optional>
#include <string>
#include <utility>

namespace memviz::cli {

namespace {

struct FlameOptions : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  FlameQuestion question;
};

OptionList<FlameOptions> flame_options() {
  const auto question =
      joined<FlameQuestion>({within<FlameQuestion>(&FlameQuestion::tree, flame_tree_options()),
                             within<FlameQuestion>(&FlameQuestion::scope, scope_options(FlameQuestion().scope))});
  return joined<FlameOptions>(
      {within<FlameOptions>(&FlameOptions::picture,
                            {output_option("the picture; - is standard output (required, except with --json)")}),
       {json_option(
           &FlameOptions::json,
           "with the tree of the graph, as in memviz export --format json, and memory without a stack by its kind")},
       within<FlameOptions>(&FlameOptions::question, question),
       within<FlameOptions>(&FlameOptions::picture, drawing_options({color_option("origin")})),
       within<FlameOptions>(&FlameOptions::picture, flame_picture_options()),
       line_options<FlameOptions>(),
       kinds_options<FlameOptions>(),
       snapshot_options<FlameOptions>()});
}

/// With --redact no pattern is shown, because it may contain a hidden name.
std::string drawn(const FlameAnswer& answer, const FlameOptions& options) {
  return flame_svg(picture_of(answer, options.file.redactor == nullptr),
                   svg_options(options.picture.drawing, frames_of(options.question.tree)));
}

int run_flame(const FlameOptions& options) {
  const std::optional<std::string>& output = options.picture.output;
  if (!output && !options.json) throw UsageError("flame needs an output: add -o mem.svg, or -o - for standard output");
  check_picture(options.picture);
  check_outputs(options, {{"-o", output}, {"--json", options.json}});

  const FlameQuestion& question = options.question;
  Loaded loaded = load_one(options, wants_of(question), question.scope.device);
  const std::string name = loaded.name;
  const FlameAnswer answer = naming_file(name, [&] { return flame_answer(question, std::move(loaded)); });
  if (question.tree.focus && stack_bytes(answer.built.tree) == 0)
    options.file.advise(name + ": --focus matches no stack of memory in use");
  const std::string picture = naming_file(name, [&] {
    for (const std::string& hint : end_hints(answer.loaded.state.devices_of(question.scope.device)))
      options.file.advise(name + ": " + hint);
    return output ? drawn(answer, options) : std::string();
  });
  check_redacted(options.file, picture);
  if (options.json) write_output(options.file, *options.json, naming_file(name, [&] { return json_of(answer); }));
  if (output) write_picture(options.file, options.picture, picture);
  return kSuccess;
}

} // namespace

Command flame_command() {
  const CommandText text{
      .name = "flame",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "a flame graph of who holds every reserved byte",
      .text = "Draws one SVG: totals, the largest users and a flame graph in which the width of a box is bytes. The "
              "whole width is the memory reserved from the device. The moment is the last out-of-memory error; without "
              "one the peak; without events the end. The picture names the moment and gives the memory at the others; "
              "--at selects another.",
      .examples = "  memviz flame mem.pickle -o mem.svg\n"
                  "  memviz flame mem.pickle --at end -o end.svg\n"
                  "  memviz flame mem.pickle --view segments --frames user -o mem.svg\n"
                  "  memviz flame mem.pickle --source ~/project -o mem.svg\n"
                  "  memviz flame mem.pickle --json - | jq .root_bytes\n"
                  "  ssh host cat mem.pickle.zst | memviz flame - -o mem.svg\n",
  };
  return command(text, flame_options(), run_flame);
}

} // namespace memviz::cli
