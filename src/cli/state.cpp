#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/moment.hpp"
#include "cli/picture_output.hpp"
#include "cli/sizes.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/svg.hpp"

#include <string>

namespace memviz::cli {

namespace {

int run_state(const Arguments& arguments) {
  const auto output = arguments.value("output");
  if (!output) throw UsageError("state needs an output: add -o state.svg, or -o - for standard output");
  SvgOptions svg;
  if (const auto size = arguments.value("max-size")) svg.max_bytes = parse_bytes("max-size", *size);
  const auto device = device_of(arguments);
  const MomentRequest moment = moment_of(arguments);
  check_picture_output(arguments, *output);

  const LoadedBlocks blocks = load_blocks(arguments.operands().front(), arguments, moment);
  const Loaded& loaded = blocks.loaded;
  check_device(loaded.name, *loaded.state.recording, device);
  if (!arguments.has("quiet")) say_warnings(loaded.name, loaded.state.all_warnings());
  const std::string picture = naming_file(loaded.name, [&] {
    return state_svg({.file = picture_name(loaded.name),
                      .state = loaded.state,
                      .births = blocks.births,
                      .device = device,
                      .warnings = warnings_and_losses(loaded.state)},
                     svg);
  });
  write_picture(arguments, *output, picture);
  return kSuccess;
}

} // namespace

Command state_command() {
  return {
      .name = "state",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "draw every segment with its blocks and holes, as they were at an event",
      .text = "Draws one SVG of the allocator at a moment: each segment to scale, its blocks in address order and in "
              "the colour of your line that asked for them, free memory as holes; at an out-of-memory error, the "
              "request beside the largest holes; and the events that led there. In a browser blocks have their stacks, "
              "and segments can be zoomed and searched.",
      .examples = "  memviz state oom.pickle -o state.svg\n"
                  "  memviz state mem.pickle --at end -o state.svg\n"
                  "  memviz state mem.pickle --at event:1234 --device 0 -o state.png\n",
      .options = joined({{{"output", 'o', "FILE", "the picture; - is standard output (required)"},
                          device_option(),
                          moment_option("auto"),
                          size_option("merge small neighbours and draw fewer segments")},
                         picture_format_options(),
                         redact_options(),
                         general_options()}),
      .run = run_state,
  };
}

} // namespace memviz::cli
