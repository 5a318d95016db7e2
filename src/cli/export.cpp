#include "memviz/export.hpp"

#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/hints.hpp"
#include "cli/messages.hpp"
#include "memviz/flame.hpp"

#include <string>

namespace memviz::cli {

namespace {

enum class Format : std::uint8_t { folded, json };

Format format_of(const Arguments& arguments) {
  const auto word = arguments.value("format");
  if (!word) throw UsageError("export needs a format: add --format folded or --format json");
  return chosen<Format>("format", *word, {{"folded", Format::folded}, {"json", Format::json}});
}

struct ExportRequest {
  Format format;
  std::string output;
};

/// Folded output is PyTorch's: its levels and frames are fixed.
void check_folded(const Arguments& arguments) {
  for (const Option& option : tree_options())
    if (arguments.has(option.name)) throw UsageError(fmt::format("--{} needs --format json", option.name));
}

void write_export(const Arguments& arguments, const Loaded& loaded, const TreeChoice& choice,
                  const ExportRequest& request) {
  const auto& [state, file] = loaded;
  if (request.format == Format::folded) {
    const auto view = choice.view == View::segments ? FoldedView::segments : FoldedView::memory;
    write_output(arguments, request.output,
                 naming_file(file, [&, &of = state] { return folded_source(of, view, choice.device); }));
    return;
  }
  const FrameTree tree = naming_file(file, [&, &of = state] { return build_frame_tree(of, resolved(choice, of)); });
  write_output(arguments, request.output, naming_file(file, [&, &of = state, &name = file] {
                 return tree_json_source(name, of.frames(), tree, of.stats_of(choice.device));
               }));
}

int run_export(const Arguments& arguments) {
  const ExportRequest request{format_of(arguments), arguments.value("output").value_or("-")};
  if (request.format == Format::folded) check_folded(arguments);
  const TreeChoice choice = tree_choice(arguments);
  const MomentRequest moment = moment_of(arguments, "end");
  check_output_file(arguments, request.output);

  const Loaded loaded = load(arguments.operands().front(), arguments, moment);
  check_device(loaded.name, *loaded.state.recording, choice.device);
  if (!arguments.has("quiet")) say_warnings(loaded.name, loaded.state.all_warnings());
  write_export(arguments, loaded, choice, request);
  return kSuccess;
}

} // namespace

Command export_command() {
  return {
      .name = "export",
      .operands = "SNAPSHOT --format FORMAT [-o FILE] [options]",
      .operand_count = 1,
      .summary = "the flame graph for other programs: folded stacks or JSON",
      .text = "Writes folded stacks as PyTorch's own tools feed them to flamegraph.pl, or the tree of the flame graph "
              "as JSON: nodes with their parent, label, frame, own and total bytes.",
      .examples = "  memviz export mem.pickle --format folded > mem.folded\n"
                  "  memviz export mem.pickle --format json --group pool,state -o tree.json\n",
      .options = joined({{{"format", '\0', "FORMAT", "folded or json (required)"},
                          {"output", 'o', "FILE", "where it goes (default: standard output)"},
                          {"view", '\0', "NAME",
                           "memory: by stream, state and stack (default); segments: by stream, segment, state and "
                           "stack"}},
                         tree_options(),
                         {device_option(), moment_option("end")},
                         redact_options(),
                         general_options()}),
      .run = run_export,
  };
}

} // namespace memviz::cli
