#include "memviz/export.hpp"

#include "answers/choice.hpp"
#include "answers/scope_options.hpp"
#include "answers/tree_options.hpp"
#include "base/suggest.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/output_names.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/perfetto_output.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/speedscope_profiles.hpp"
#include "cli/frame/sqlite_output.hpp"
#include "cli/frame/text_outputs.hpp"
#include "io/compress.hpp"
#include "memviz/error.hpp"
#include "memviz/flame.hpp"
#include "memviz/pprof.hpp"
#include "memviz/rank_names.hpp"
#include "memviz/second_pass.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "memviz/speedscope.hpp"
#include "memviz/tables.hpp"
#include "memviz/warnings.hpp"
#include "story/moment_words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

namespace {

struct FormatRow;

struct ExportOptions : CommandOptions {
  const FormatRow* format = nullptr;
  std::optional<std::string> output; ///< nullopt: standard output
  std::optional<std::string> json;

  /// Replaces --json FILE with its long form.
  void settle();
  [[nodiscard]] std::string target() const { return output.value_or("-"); }
  TreeChoice tree;
  SnapshotQuestion part; ///< --from and --to
  Scope scope;
  std::optional<Table> table;        ///< for CSV and JSON lines
  std::optional<std::uint64_t> rank; ///< of the process, from the names of several files
  std::optional<std::string> with;   ///< a profiler's trace, for Perfetto
};

Loaded load_tree(const ExportOptions& options) {
  Loaded loaded = load_one(options,
                           {.moment = moment_of(options.scope, options.tree),
                            .births = needs_births(options.tree),
                            .kinds = needs_kinds(options.tree)},
                           options.scope.device);
  naming_file(loaded.name, [&] { check_keepers(options.tree, loaded.state); });
  return loaded;
}

void write_folded(const ExportOptions& options) {
  const Loaded loaded = load_tree(options);
  if (options.tree.by == TreeBy::keeper) {
    const FrameTree tree = naming_file(loaded.name, [&] {
      return build_frame_tree(loaded.state, resolved(options.tree, loaded.state, options.scope.device));
    });
    write_output(options.file, options.target(),
                 naming_file(loaded.name, [&] { return folded_tree_source(loaded.state, tree); }));
    return;
  }
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

/// Returns the peak for tables of live memory, unless --at gives another moment.
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

/// Events are written in a second pass, because the reader may start again in the first one.
void write_rows(const ExportOptions& options, TableFormat format) {
  naming_file(shown_name(options.operands.front(), options.file), [&] {
    SnapshotFile file(options.operands.front(), options.file);
    RestartCounter first_pass;
    const Wants wants{.moment = moment_of_tables(options),
                      .kinds = options.table.value_or(Table::live) == Table::live,
                      .sink = &first_pass};
    const Loaded loaded = loaded_from(file.session(), wants, options.scope.device);
    say_warnings(options.file, loaded.name, warnings_of(loaded.state));
    PieceOutput output(options.file, options.target());
    TableText table(options.table.value_or(Table::live), format, options.scope.device,
                    [&](std::string_view piece) { output.write(piece); });
    if (table.events() != nullptr) {
      SecondPass events(*table.events(), first_pass);
      static_cast<void>(file.session().read(events));
    }
    table.finish(loaded.state);
    output.finish();
  });
}

void write_csv(const ExportOptions& options) {
  write_rows(options, TableFormat::csv);
}

void write_ndjson(const ExportOptions& options) {
  write_rows(options, TableFormat::ndjson);
}

void write_snapshot(const ExportOptions& options) {
  check_binary_output(options.target(), "a pickle");
  SnapshotQuestion question = options.part;
  question.scope = options.scope;
  const Loaded loaded = load_one(options, wants_of(question), question.scope.device);
  const SnapshotPart part = naming_file(loaded.name, [&] { return part_of(question, loaded); });
  write_output(options.file, options.target(), snapshot_pickle_source(loaded.state, part));
}

void write_perfetto(const ExportOptions& options) {
  write_perfetto_trace({.file = options.file,
                        .snapshot = options.operands.front(),
                        .output = options.target(),
                        .tree = options.tree,
                        .device = options.scope.device,
                        .profile = options.with});
}

void write_pprof(const ExportOptions& options) {
  check_binary_output(options.target(), "a profile");
  AllocationCounter allocations;
  const Loaded loaded =
      load_one(options, {.moment = moment_of(options.scope, options.tree), .kinds = true, .sink = &allocations},
               options.scope.device);
  const std::string profile = naming_file(loaded.name, [&] {
    check_keepers(options.tree, loaded.state);
    TreeOptions tree = resolved(options.tree, loaded.state, options.scope.device);
    tree.levels = pprof_levels();
    if (options.tree.by == TreeBy::keeper) tree.levels.push_back(Level::keeper);
    return pprof_profile({picture_name(loaded.name), loaded.state, tree, allocations, options.rank});
  });
  check_redacted(options.file, profile);
  write_output(options.file, options.target(), gzipped(profile));
}

void write_speedscope(const ExportOptions& options) {
  const Loaded loaded = load_tree(options);
  const auto devices = loaded.state.devices_of(options.scope.device);
  TreeOptions tree_options = resolved(options.tree, loaded.state, options.scope.device);
  tree_options.levels = profile_levels(tree_options.levels, devices);
  const FrameTree tree = naming_file(loaded.name, [&] { return build_frame_tree(loaded.state, tree_options); });
  write_output(options.file, options.target(), naming_file(loaded.name, [&] {
                 return speedscope_source({.name = snapshot_title(loaded, moments_text(devices)),
                                           .frames = loaded.state.frames(),
                                           .tree = tree,
                                           .profiles = profiles_of(loaded, tree, devices),
                                           .file_bytes = loaded.state.recording->origin.size_bytes});
               }));
}

/// The options that a format takes in addition to the common ones: the levels of the tree, its frames, and the part of
/// the events.
struct FormatRow {
  std::string_view word;
  std::string_view ending;  ///< of files
  bool has_view = false;    ///< --view
  bool has_by = false;      ///< --by
  bool has_group = false;   ///< --group
  bool has_frames = false;  ///< --frames, --focus and --hide; folded output is PyTorch's, whose frames are fixed
  bool has_part = false;    ///< --from and --to
  bool has_moment = true;   ///< --at
  bool has_profile = false; ///< --with
  bool has_table = false;   ///< --table
  void (*write)(const ExportOptions& options) = nullptr;
};

constexpr std::array kFormats{
    FormatRow{.word = "folded", .ending = ".folded", .has_view = true, .has_by = true, .write = write_folded},
    FormatRow{.word = "json",
              .ending = ".json",
              .has_view = true,
              .has_by = true,
              .has_group = true,
              .has_frames = true,
              .write = write_tree},
    FormatRow{.word = "speedscope",
              .ending = ".speedscope.json",
              .has_view = true,
              .has_by = true,
              .has_group = true,
              .has_frames = true,
              .write = write_speedscope},
    FormatRow{.word = "pprof", .ending = ".pb.gz", .has_by = true, .has_frames = true, .write = write_pprof},
    FormatRow{.word = "perfetto",
              .ending = ".pftrace",
              .has_frames = true,
              .has_moment = false,
              .has_profile = true,
              .write = write_perfetto},
    FormatRow{.word = "sqlite", .ending = ".sqlite", .write = write_tables},
    FormatRow{.word = "csv", .ending = ".csv", .has_table = true, .write = write_csv},
    FormatRow{.word = "ndjson", .ending = ".ndjson", .has_table = true, .write = write_ndjson},
    FormatRow{.word = "pickle", .ending = ".pickle", .has_part = true, .write = write_snapshot},
};

Choices<const FormatRow*> format_choices() {
  Choices<const FormatRow*> choices;
  for (const FormatRow& row : kFormats)
    choices.push_back({row.word, &row});
  return choices;
}

Choices<Table> table_choices() {
  Choices<Table> choices;
  for (std::uint8_t table = 0; table < kTables; ++table)
    choices.push_back({description_of(static_cast<Table>(table)).name, static_cast<Table>(table)});
  return choices;
}

/// "folded, json or sqlite": the formats for which `takes` is true.
template <class Takes> std::string formats_with(const Takes& takes) {
  std::vector<std::string_view> words;
  for (const FormatRow& row : kFormats)
    if (takes(row)) words.push_back(row.word);
  return listed(words);
}

std::string all_formats() {
  return formats_with([](const FormatRow& /*row*/) { return true; });
}

void ExportOptions::settle() {
  if (!json) return;
  if (format != nullptr || output) throw UsageError("--json FILE means --format json -o FILE: give one of them");
  format = chosen<const FormatRow*>("format", "json", format_choices());
  output = json;
}

OptionList<ExportOptions> export_options() {
  return joined<ExportOptions>(
      {{one_of<ExportOptions, const FormatRow*, const FormatRow*>(
            {"format", '\0', "FORMAT", all_formats() + " (required, except with --json)"}, &ExportOptions::format,
            format_choices()),
        verbatim({"output", 'o', "FILE", "the output (default: standard output); for several snapshots a folder"},
                 &ExportOptions::output),
        json_option(&ExportOptions::json, "the same as --format json -o FILE"),
        verbatim({"with", '\0', "FILE",
                  "for perfetto: also the slices of this trace of PyTorch's profiler, on the same axis of time"},
                 &ExportOptions::with),
        one_of<ExportOptions, std::optional<Table>, Table>(
            {"table", '\0', "NAME",
             "for csv and ndjson: live (memory at the peak or --at; default), keepers (of the memory at the end), "
             "events, segments, blocks, devices, "
             "stack_lines, texts or event_notes"},
            &ExportOptions::table, table_choices())},
       within<ExportOptions>(
           &ExportOptions::tree,
           {view_option("memory: by stream, state and stack (default); segments: by stream, segment, state and "
                        "stack")}),
       within<ExportOptions>(&ExportOptions::tree, {rare(by_option())}),
       within<ExportOptions>(&ExportOptions::tree, tree_options()),
       within<ExportOptions>(&ExportOptions::scope, scope_options(Scope())),
       within<ExportOptions>(&ExportOptions::part, snapshot_part_options()),
       kinds_options<ExportOptions>(),
       snapshot_options<ExportOptions>()});
}

/// An option that was given, and whether the format takes it.
void refuse(bool is_given, std::string_view option, bool FormatRow::*has, const FormatRow& row) {
  if (is_given && !(row.*has))
    throw UsageError(
        fmt::format("--{} needs --format {}", option, formats_with([&](const FormatRow& one) { return one.*has; })));
}

void refuse_options(const ExportOptions& options) {
  const FormatRow& row = *options.format;
  refuse(options.part.from.has_value(), "from", &FormatRow::has_part, row);
  refuse(options.part.to.has_value(), "to", &FormatRow::has_part, row);
  refuse(options.table.has_value(), "table", &FormatRow::has_table, row);
  refuse(options.tree.view.has_value(), "view", &FormatRow::has_view, row);
  refuse(options.tree.by == TreeBy::keeper, "by", &FormatRow::has_by, row);
  refuse(options.tree.group.has_value(), "group", &FormatRow::has_group, row);
  refuse(options.tree.frames.has_value(), "frames", &FormatRow::has_frames, row);
  refuse(options.tree.focus.has_value(), "focus", &FormatRow::has_frames, row);
  refuse(options.tree.hide.has_value(), "hide", &FormatRow::has_frames, row);
  refuse(options.with.has_value(), "with", &FormatRow::has_profile, row);
  if (options.with == "-") throw UsageError("--with takes a file, not standard input");
  if (options.with && options.file.redactor != nullptr)
    throw UsageError("--with and --redact exclude each other: the names in a profiler's trace are not hidden");
  if (options.part.to && !options.scope.at.option.empty())
    throw UsageError("--to and --at both set where the snapshot ends: give one of them");
  refuse(!options.scope.at.option.empty(), "at", &FormatRow::has_moment, row);
}

/// Writes a file for each snapshot below the folder of -o. Returns the worst exit code.
int export_each(const ExportOptions& options) {
  if (options.target() == "-")
    throw UsageError("several snapshots become several files: name their folder with -o FOLDER");
  const auto outputs = outputs_below(options.target(), options, options.format->ending);
  const std::vector<NamedRank> ranks = ranks_of_names(options.operands, "");
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    places.emplace(options.operands[i], i);
  return answer_each(options, {}, [&](const std::string& file, const ExportOptions& given) {
    ExportOptions of_file = given;
    const std::size_t place = places.at(file);
    of_file.operands = {file};
    of_file.output = outputs[place].string();
    of_file.rank = ranks[place].rank;
    make_folder_of(outputs[place]);
    of_file.format->write(of_file);
    return FileAnswer{};
  });
}

int run_export(const ExportOptions& given) {
  ExportOptions options = given;
  options.settle();
  if (options.format == nullptr) throw UsageError(fmt::format("export needs a format: add --format {}", all_formats()));
  refuse_options(options);
  find_files(options);
  if (options.has_several && options.with) throw UsageError("--with takes one snapshot");
  if (options.has_several) return export_each(options);
  std::vector<std::string> inputs = options.operands;
  if (options.with) inputs.push_back(*options.with);
  check_outputs(inputs, {{"-o", options.output}});
  options.format->write(options);
  return kSuccess;
}

} // namespace

Command export_command() {
  const CommandText text{
      .name = "export",
      .operands = "SNAPSHOT...|FOLDER... --format FORMAT [-o FILE] [options]",
      .summary = "files for other programs: pprof, Perfetto, speedscope, SQLite, CSV, JSON lines, folded stacks, the "
                 "flame graph as JSON, or a new snapshot",
      .text =
          "Writes files for other programs; docs/export.md describes each format, with queries. pprof: memory in use "
          "and all recorded allocations by stack, with labels for device, state and kind. perfetto: live and reserved "
          "bytes over time, annotations, steps and out-of-memory errors, and flame graphs of live memory at the peak, "
          "the last error and the end. speedscope and json: the tree of the flame "
          "graph. folded: stacks as PyTorch's own tools pass them to flamegraph.pl; pinned host memory, which "
          "PyTorch's tools omit, only with --device host. sqlite: the whole recording, as tables of segments, blocks, "
          "events, stacks and frames, and of live memory at the peak or --at; csv and ndjson: one of these tables. "
          "pickle: a new snapshot, for PyTorch's tools and memviz: without what --redact hides, for one --device, or "
          "for the events from --from to --to; it ends at the moment of --to or --at, with the segments and blocks of "
          "that moment. For several snapshots, or those in a folder, -o names a folder that gets a file for each.",
      .examples = "  memviz export mem.pickle --format folded > mem.folded\n"
                  "  memviz export mem.pickle --format json --group pool,state -o tree.json\n"
                  "  memviz export mem.pickle --format pprof --frames user -o mem.pb.gz\n"
                  "  memviz export rank*.pickle --format pprof -o profiles\n"
                  "  memviz export mem.pickle --format perfetto -o mem.pftrace\n"
                  "  memviz export mem.pickle --format sqlite -o mem.sqlite\n"
                  "  memviz export mem.pickle --format ndjson --table events -o events.ndjson\n"
                  "  memviz export mem.pickle --format pickle --redact all -o shared.pickle\n"
                  "  memviz export mem.pickle --format pickle --from 1000 --to 2000 -o step.pickle\n",
      .takes_several = true,
  };
  return command(text, export_options(), run_export);
}

} // namespace memviz::cli
