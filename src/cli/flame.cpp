#include "memviz/flame.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/hints.hpp"
#include "cli/messages.hpp"
#include "cli/picture_output.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/svg.hpp"

#include <string>

namespace memviz::cli {

namespace {

std::string drawn(const Loaded& loaded, const TreeChoice& choice, const SvgOptions& svg) {
  const auto& [state, name] = loaded;
  const FrameTree tree = build_frame_tree(state, resolved(choice, state));
  const std::vector<DeviceStats> devices = state.stats_of(choice.device);
  const auto leading = leading_device(devices);
  FlamePicture picture{.file = picture_name(name),
                       .state = state,
                       .tree = tree,
                       .devices = devices,
                       .users = rank_user_lines(state, leading ? leading : choice.device),
                       .warnings = warnings_and_losses(state),
                       .moment = moments_text(devices),
                       .device = choice.device};
  if (choice.view == View::segments)
    picture.segments = {find_pins(state, {.device = choice.device}), block_lines(state, choice.device)};
  return flame_svg(picture, svg);
}

int run_flame(const Arguments& arguments) {
  const auto output = arguments.value("output");
  if (!output) throw UsageError("flame needs an output: add -o mem.svg, or -o - for standard output");
  const TreeChoice choice = tree_choice(arguments);
  const SvgOptions svg = svg_options(arguments, choice);
  const MomentRequest moment = moment_of(arguments);
  check_picture_output(arguments, *output);

  const Loaded loaded = load(arguments.operands().front(), arguments, moment);
  check_device(loaded.name, *loaded.state.recording, choice.device);
  const std::string picture = naming_file(loaded.name, [&] {
    if (!arguments.has("quiet")) {
      say_warnings(loaded.name, loaded.state.all_warnings());
      for (const std::string& hint : end_hints(loaded.state.stats_of(choice.device)))
        say_message(loaded.name + ": " + hint);
    }
    return drawn(loaded, choice, svg);
  });
  write_picture(arguments, *output, picture);
  return kSuccess;
}

} // namespace

Command flame_command() {
  return {
      .name = "flame",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "draw who holds every reserved byte, as a flame graph",
      .text =
          "Draws one SVG: totals, the largest users and a flame graph in which the width of a box is bytes. The "
          "whole width is the memory reserved from the device. Drawn is the last out-of-memory error; without one "
          "the peak; without events the end. The picture names the moment and says what the others held; --at chooses "
          "another.",
      .examples = "  memviz flame mem.pickle -o mem.svg\n"
                  "  memviz flame mem.pickle --at end -o end.svg\n"
                  "  memviz flame mem.pickle --view segments --frames user -o mem.svg\n"
                  "  ssh host cat mem.pickle.zst | memviz flame - -o mem.svg\n",
      .options = joined({{{"output", 'o', "FILE", "the picture; - is standard output (required)"},
                          {"view", '\0', "NAME",
                           "memory: by stream, state and stack (default); segments: by stream, segment, state and "
                           "stack, with the blocks of each segment and what keeps mostly empty ones from being given "
                           "back"}},
                         tree_options(),
                         {device_option(), moment_option("auto")},
                         picture_options(),
                         redact_options(),
                         general_options()}),
      .run = run_flame,
  };
}

} // namespace memviz::cli
