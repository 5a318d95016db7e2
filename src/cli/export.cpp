#include "memviz/export.hpp"

#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/scope.hpp"
#include "cli/snapshot_file.hpp"
#include "cli/tree_options.hpp"
#include "memviz/error.hpp"
#include "memviz/flame.hpp"

#include <string>

namespace memviz::cli {

namespace {

enum class Format : std::uint8_t { folded, json };

struct ExportOptions : CommandOptions {
  std::optional<Format> format;
  std::optional<std::string> output = "-";
  TreeChoice tree;
  Scope scope;
};

Format parse_export_format(std::string_view option, const std::string& word) {
  return chosen<Format>(option, word, {{"folded", Format::folded}, {"json", Format::json}});
}

OptionList<ExportOptions> export_options() {
  return joined<ExportOptions>(
      {{parsed({"format", '\0', "FORMAT", "folded or json (required)"}, &ExportOptions::format, parse_export_format),
        verbatim({"output", 'o', "FILE", "where it goes (default: standard output)"}, &ExportOptions::output)},
       within<ExportOptions>(
           &ExportOptions::tree,
           {view_option("memory: by stream, state and stack (default); segments: by stream, segment, state and "
                        "stack")}),
       within<ExportOptions>(&ExportOptions::tree, tree_options()),
       within<ExportOptions>(&ExportOptions::scope, scope_options("end")),
       kinds_options<ExportOptions>(),
       snapshot_options<ExportOptions>()});
}

/// Folded output is PyTorch's: its levels and frames are fixed.
void refuse_tree_options(const TreeChoice& tree) {
  const char* const given = tree.group    ? "group"
                            : tree.frames ? "frames"
                            : tree.focus  ? "focus"
                            : tree.hide   ? "hide"
                                          : nullptr;
  if (given != nullptr) throw UsageError(fmt::format("--{} needs --format json", given));
}

void check_format(const ExportOptions& options) {
  if (!options.format) throw UsageError("export needs a format: add --format folded or --format json");
  if (*options.format == Format::folded) refuse_tree_options(options.tree);
}

void write_export(const ExportOptions& options, const Loaded& loaded) {
  const MemoryState& state = loaded.state;
  const std::optional<DeviceId> device = options.scope.device;
  if (*options.format == Format::folded) {
    const auto view = options.tree.view == View::segments ? FoldedView::segments : FoldedView::memory;
    write_output(options.file, *options.output,
                 naming_file(loaded.name, [&] { return folded_source(state, view, device); }));
    return;
  }
  const FrameTree tree = naming_file(loaded.name, [&] {
    TreeOptions levels = resolved(options.tree, state, device);
    levels.births = loaded.births;
    return build_frame_tree(state, levels);
  });
  write_output(options.file, *options.output, naming_file(loaded.name, [&] {
                 return tree_json_source(loaded.name, state.frames(), tree, state.stats_of(device));
               }));
}

int run_export(const ExportOptions& options) {
  check_format(options);
  check_outputs(options, {{"-o", options.output}});
  const Wants wants{
      .moment = moment_of(options.scope), .births = needs_births(options.tree), .kinds = needs_kinds(options.tree)};
  write_export(options, load_one(options, wants, options.scope.device));
  return kSuccess;
}

} // namespace

Command export_command() {
  const CommandText text{
      .name = "export",
      .operands = "SNAPSHOT --format FORMAT [-o FILE] [options]",
      .operand_count = 1,
      .summary = "the flame graph for other programs: folded stacks or JSON",
      .text = "Writes folded stacks as PyTorch's own tools feed them to flamegraph.pl, or the tree of the flame graph "
              "as JSON: nodes with their parent, label, frame, own and total bytes. Folded stacks have pinned host "
              "memory, which PyTorch's tools leave out, with --device host alone.",
      .examples = "  memviz export mem.pickle --format folded > mem.folded\n"
                  "  memviz export mem.pickle --format json --group pool,state -o tree.json\n",
  };
  return command(text, export_options(), run_export);
}

} // namespace memviz::cli
