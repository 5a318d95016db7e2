#include "memviz/flame.hpp"

#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/picture_output.hpp"
#include "cli/scope.hpp"
#include "cli/snapshot_file.hpp"
#include "cli/tree_options.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/story.hpp"
#include "memviz/svg.hpp"

#include <optional>
#include <string>

namespace memviz::cli {

namespace {

struct FlameOptions : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  TreeChoice tree;
  Scope scope = automatic_scope();
};

OptionList<FlameOptions> flame_options() {
  return joined<FlameOptions>(
      {within<FlameOptions>(&FlameOptions::picture,
                            {output_option("the picture; - is standard output (required, but with --json)")}),
       {json_option(&FlameOptions::json, "with the tree of the graph, as memviz export --format json writes it, with "
                                         "memory that has no stack by its kind")},
       within<FlameOptions>(
           &FlameOptions::tree,
           {view_option("memory: by stream, state and stack (default); segments: by stream, segment, state and "
                        "stack, with the blocks of each segment and what keeps mostly empty ones from being given "
                        "back")}),
       within<FlameOptions>(&FlameOptions::tree, tree_options()),
       within<FlameOptions>(&FlameOptions::scope, scope_options("auto")),
       within<FlameOptions>(&FlameOptions::picture, {color_option("origin")}),
       within<FlameOptions>(&FlameOptions::picture, flame_picture_options()),
       kinds_options<FlameOptions>(),
       snapshot_options<FlameOptions>()});
}

KindTree tree_of(const Loaded& loaded, const FlameOptions& options) {
  TreeOptions levels = resolved(options.tree, loaded.state, options.scope.device);
  return build_kind_tree(loaded.state, levels);
}

/// With --redact no pattern is shown: it may be a name that is hidden.
TreeFilters filters_of(const FlameOptions& options) {
  const bool is_shown = options.file.redactor == nullptr;
  const TreeChoice& tree = options.tree;
  return {.has_focus = tree.focus.has_value(),
          .has_hide = tree.hide.has_value(),
          .focus = is_shown ? tree.focus.value_or("") : "",
          .hide = is_shown ? tree.hide.value_or("") : ""};
}

std::string drawn(const Loaded& loaded, const KindTree& built, const FlameOptions& options) {
  const MemoryState& state = loaded.state;
  const std::optional<DeviceId> device = options.scope.device;
  const FlamePicture picture{.file = picture_name(loaded.name),
                             .subject = memory_subject(state, device),
                             .tree = built.tree,
                             .device = device,
                             .kinds = built.kinds,
                             .filters = filters_of(options),
                             .has_segments = options.tree.view == View::segments};
  return flame_svg(picture, svg_options(options.picture, frames_of(options.tree)));
}

int run_flame(const FlameOptions& options) {
  const std::optional<std::string>& output = options.picture.output;
  if (!output && !options.json) throw UsageError("flame needs an output: add -o mem.svg, or -o - for standard output");
  check_picture(options.picture);
  check_outputs(options, {{"-o", output}, {"--json", options.json}});

  const Wants wants{.moment = moment_of(options.scope),
                    .births = needs_births(options.tree) || options.tree.view == View::segments,
                    .kinds = true};
  const Loaded loaded = load_one(options, wants, options.scope.device);
  const KindTree built = naming_file(loaded.name, [&] { return tree_of(loaded, options); });
  if (options.tree.focus && stack_bytes(built.tree) == 0)
    options.file.advise(loaded.name + ": --focus matches no stack of what is in use");
  const std::string picture = naming_file(loaded.name, [&] {
    for (const std::string& hint : end_hints(loaded.state.devices_of(options.scope.device)))
      options.file.advise(loaded.name + ": " + hint);
    return output ? drawn(loaded, built, options) : std::string();
  });
  check_redacted(options.file, picture);
  if (options.json)
    write_output(options.file, *options.json, naming_file(loaded.name, [&] {
                   return tree_json_source(loaded.name, loaded.state.frames(), built.tree,
                                           loaded.state.devices_of(options.scope.device));
                 }));
  if (output) write_picture(options.file, options.picture, picture);
  return kSuccess;
}

} // namespace

Command flame_command() {
  const CommandText text{
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
                  "  memviz flame mem.pickle --json - | jq .root_bytes\n"
                  "  ssh host cat mem.pickle.zst | memviz flame - -o mem.svg\n",
  };
  return command(text, flame_options(), run_flame);
}

} // namespace memviz::cli
