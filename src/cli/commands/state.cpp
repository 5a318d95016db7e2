#include "answers/scope_options.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/picture_output.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/svg.hpp"

#include <string>

namespace memviz::cli {

namespace {

struct StateOptions : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  Scope scope = automatic_scope();
};

OptionList<StateOptions> state_options() {
  return joined<StateOptions>(
      {within<StateOptions>(&StateOptions::picture,
                            {output_option("the picture; - is standard output (required, except with --json)")}),
       {json_option(&StateOptions::json, "with every segment and block")},
       within<StateOptions>(&StateOptions::scope, scope_options(automatic_scope())),
       within<StateOptions>(&StateOptions::picture,
                            drawing_options({color_or_keeper_option("line"),
                                             size_option("merge small neighbours and draw fewer segments")})),
       within<StateOptions>(&StateOptions::picture, picture_format_options()),
       line_options<StateOptions>(),
       kinds_options<StateOptions>(),
       snapshot_options<StateOptions>()});
}

int run_state(const StateOptions& options) {
  const std::optional<std::string>& output = options.picture.output;
  if (!output && !options.json)
    throw UsageError("state needs an output: add -o state.svg, or -o - for standard output");
  check_picture(options.picture);
  const bool has_kinds = options.json || options.picture.drawing.color == ColorBy::kind;
  if (options.file.kinds && !has_kinds) throw UsageError("--kinds sets the kinds for --color kind: add that");
  check_outputs(options, {{"-o", output}, {"--json", options.json}});

  const StateQuestion question{options.scope, has_kinds};
  const StateAnswer answer{question, load_one(options, wants_of(question), options.scope.device)};
  const std::string picture = naming_file(answer.loaded.name, [&] {
    check_color(options.picture.drawing, *answer.loaded.state.recording);
    return output ? state_svg(picture_of(answer), svg_options(options.picture.drawing)) : std::string();
  });
  check_redacted(options.file, picture);
  if (options.json)
    write_output(options.file, *options.json, naming_file(answer.loaded.name, [&] { return json_of(answer); }));
  if (output) write_picture(options.file, options.picture, picture);
  return kSuccess;
}

} // namespace

Command state_command() {
  const CommandText text{
      .name = "state",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "a picture of every segment with its blocks and free parts, at an event",
      .text = "Draws one SVG of the allocator at a moment: each segment to scale, its blocks in address order and in "
              "the colour of your line that allocated them, free memory as holes; at an out-of-memory error, the "
              "request next to the largest holes; and the events that led there. In a browser, blocks show their "
              "stacks, and segments can be zoomed and searched.",
      .examples = "  memviz state oom.pickle -o state.svg\n"
                  "  memviz state mem.pickle --at end -o state.svg\n"
                  "  memviz state mem.pickle --json - | jq '.segments | length'\n"
                  "  memviz state mem.pickle --at event:1234 --device 0 -o state.png\n",
  };
  return command(text, state_options(), run_state);
}

} // namespace memviz::cli
