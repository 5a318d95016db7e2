#include "memviz/export.hpp"

#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/scope.hpp"
#include "cli/snapshot_file.hpp"
#include "cli/sqlite_output.hpp"
#include "cli/tree_options.hpp"
#include "memviz/error.hpp"
#include "memviz/flame.hpp"
#include "memviz/snapshot_pickle.hpp"

#include <string>

namespace memviz::cli {

namespace {

enum class Format : std::uint8_t { folded, json, sqlite, pickle };

struct ExportOptions : CommandOptions {
  std::optional<Format> format;
  std::optional<std::string> output; ///< nothing: standard output
  std::optional<std::string> json;

  /// What --json FILE stands for.
  void settle() {
    if (!json) return;
    if (format || output) throw UsageError("--json FILE stands for --format json -o FILE: give one of them");
    format = Format::json;
    output = json;
  }
  [[nodiscard]] std::string target() const { return output.value_or("-"); }
  TreeChoice tree;
  SnapshotQuestion part; ///< --from and --to
  Scope scope;
};

OptionList<ExportOptions> export_options() {
  return joined<ExportOptions>(
      {{one_of<ExportOptions, std::optional<Format>, Format>(
            {"format", '\0', "FORMAT", "folded, json, sqlite or pickle (required, but with --json)"},
            &ExportOptions::format,
            {{"folded", Format::folded},
             {"json", Format::json},
             {"sqlite", Format::sqlite},
             {"pickle", Format::pickle}}),
        verbatim({"output", 'o', "FILE", "where it goes (default: standard output)"}, &ExportOptions::output),
        json_option(&ExportOptions::json, "the same as --format json -o FILE")},
       within<ExportOptions>(
           &ExportOptions::tree,
           {view_option("memory: by stream, state and stack (default); segments: by stream, segment, state and "
                        "stack")}),
       within<ExportOptions>(&ExportOptions::tree, tree_options()),
       within<ExportOptions>(&ExportOptions::scope, scope_options("end")),
       within<ExportOptions>(&ExportOptions::part, snapshot_part_options()),
       kinds_options<ExportOptions>(),
       snapshot_options<ExportOptions>()});
}

Loaded load_tree(const ExportOptions& options) {
  return load_one(
      options,
      {.moment = moment_of(options.scope), .births = needs_births(options.tree), .kinds = needs_kinds(options.tree)},
      options.scope.device);
}

void write_folded(const ExportOptions& options) {
  const Loaded loaded = load_tree(options);
  const auto view = options.tree.view == TreeView::segments ? FoldedView::segments : FoldedView::memory;
  write_output(options.file, options.target(),
               naming_file(loaded.name, [&] { return folded_source(loaded.state, view, options.scope.device); }));
}

void write_tree(const ExportOptions& options) {
  const Loaded loaded = load_tree(options);
  const std::optional<DeviceId> device = options.scope.device;
  const FrameTree tree = naming_file(
      loaded.name, [&] { return build_frame_tree(loaded.state, resolved(options.tree, loaded.state, device)); });
  write_output(options.file, options.target(), naming_file(loaded.name, [&] {
                 return tree_json_source(loaded.name, loaded.state.frames(), tree, loaded.state.devices_of(device));
               }));
}

/// What lives is of the peak, unless --at says another moment.
MomentChoice moment_of_tables(const ExportOptions& options) {
  return options.scope.at.option.empty() ? moment_of(peak_scope()) : moment_of(options.scope);
}

void write_tables(const ExportOptions& options) {
  check_binary_output(options.target(), "an SQLite file");
  const std::optional<DeviceId> device = options.scope.device;
  SqliteOutput output(options.file, options.target(), {.report = false, .recording = true, .device = device});
  const Loaded loaded =
      load_one(options, {.moment = moment_of_tables(options), .kinds = true, .sink = output.events()}, device);
  const MemoryReport report = memory_report(loaded.state, {}, device);
  output.finish(loaded, {report, ProjectFiles(loaded.state, std::nullopt)});
}

void write_snapshot(const ExportOptions& options) {
  check_binary_output(options.target(), "a pickle");
  SnapshotQuestion question = options.part;
  question.scope = options.scope;
  const Loaded loaded = load_one(options, wants_of(question), question.scope.device);
  const SnapshotPart part = naming_file(loaded.name, [&] { return part_of(question, loaded); });
  write_output(options.file, options.target(), snapshot_pickle_source(loaded.state, part));
}

struct FormatRow {
  bool has_view;   ///< --view; a database has no tree
  bool has_levels; ///< the other options of trees; folded output is PyTorch's, whose levels and frames are fixed
  bool has_part;   ///< --from and --to
  void (*write)(const ExportOptions& options);
};

FormatRow row_of(Format format) {
  switch (format) {
  case Format::folded: return {true, false, false, write_folded};
  case Format::json: return {true, true, false, write_tree};
  case Format::pickle: return {false, false, true, write_snapshot};
  case Format::sqlite: break;
  }
  return {false, false, false, write_tables};
}

void refuse_part(const ExportOptions& options, const FormatRow& row) {
  const char* const given = options.part.from ? "from" : options.part.to ? "to" : nullptr;
  if (given != nullptr && !row.has_part) throw UsageError(fmt::format("--{} needs --format pickle", given));
  if (options.part.to && !options.scope.at.option.empty())
    throw UsageError("--to and --at both say where the snapshot ends: give one of them");
}

void refuse_tree_options(const TreeChoice& tree, const FormatRow& row) {
  if (tree.view && !row.has_view) throw UsageError("--view needs --format folded or json");
  if (row.has_levels) return;
  const char* const given = tree.group    ? "group"
                            : tree.frames ? "frames"
                            : tree.focus  ? "focus"
                            : tree.hide   ? "hide"
                                          : nullptr;
  if (given != nullptr) throw UsageError(fmt::format("--{} needs --format json", given));
}

int run_export(const ExportOptions& given) {
  ExportOptions options = given;
  options.settle();
  if (!options.format) throw UsageError("export needs a format: add --format folded, json, sqlite or pickle");
  const FormatRow row = row_of(*options.format);
  refuse_tree_options(options.tree, row);
  refuse_part(options, row);
  check_outputs(options, {{"-o", options.output}});
  row.write(options);
  return kSuccess;
}

} // namespace

Command export_command() {
  const CommandText text{
      .name = "export",
      .operands = "SNAPSHOT --format FORMAT [-o FILE] [options]",
      .operand_count = 1,
      .summary =
          "for other programs: folded stacks, the flame graph as JSON, all as SQLite, or a snapshot written anew",
      .text = "Writes folded stacks as PyTorch's own tools feed them to flamegraph.pl, or the tree of the flame graph "
              "as JSON: nodes with their parent, label, frame, own and total bytes. Folded stacks have pinned host "
              "memory, which PyTorch's tools leave out, with --device host alone. As SQLite it is the whole recording: "
              "tables of segments, blocks, events, stacks and frames, and of what lives at the peak, or at the moment "
              "that --at names. As a pickle it is a snapshot again, for PyTorch's tools and this program: without "
              "what --redact hides, of one --device, or of the events from --from to --to; it ends at the moment of "
              "--to or --at, with the segments and blocks of that moment.",
      .examples = "  memviz export mem.pickle --format folded > mem.folded\n"
                  "  memviz export mem.pickle --format json --group pool,state -o tree.json\n"
                  "  memviz export mem.pickle --format sqlite -o mem.sqlite\n"
                  "  memviz export mem.pickle --format pickle --redact all -o shared.pickle\n"
                  "  memviz export mem.pickle --format pickle --from 1000 --to 2000 -o step.pickle\n",
  };
  return command(text, export_options(), run_export);
}

} // namespace memviz::cli
