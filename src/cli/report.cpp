#include "answers/scope_options.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/snapshot_file.hpp"
#include "cli/sqlite_output.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/kinds.hpp"
#include "memviz/report_json.hpp"
#include "memviz/sqlite_file.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace memviz::cli {

namespace {

struct ReportOptions : CommandOptions {
  std::optional<std::string> output;
  std::optional<std::string> json;
  std::optional<std::string> project_root;
  bool full = false;
  Scope scope = peak_scope();
};

OptionList<ReportOptions> report_options() {
  return joined<ReportOptions>(
      {{verbatim({"output", 'o', "FILE", "the SQLite file; - is standard output (required, except with --json)"},
                 &ReportOptions::output),
        json_option(&ReportOptions::json, "with the same entries, stacks and figures"),
        verbatim({"project-root", '\0', "DIR",
                  "the project's folder, as in the recording: stacks contain only its files, with paths relative to it "
                  "(default: the longest common folder of the user's own files)"},
                 &ReportOptions::project_root),
        flag({"full", '\0', "", "add the whole recording: tables of segments, blocks, events, stacks and frames"},
             &ReportOptions::full)},
       within<ReportOptions>(&ReportOptions::scope, scope_options(peak_scope())),
       kinds_options<ReportOptions>(),
       snapshot_options<ReportOptions>()});
}

bool is_of_windows(const std::string& path) {
  return path.find('\\') != std::string::npos || (path.size() > 1 && path[1] == ':');
}

/// A relative path refers to this machine.
std::optional<std::string> root_of(const ReportOptions& options) {
  if (!options.project_root) return std::nullopt;
  const std::string& root = *options.project_root;
  if (root.empty()) throw UsageError("--project-root is empty; . is the current folder");
  if (is_of_windows(root)) return root;
  return std::filesystem::absolute(root).lexically_normal().string();
}

void check_options(const ReportOptions& options) {
  if (!options.output && !options.json)
    throw UsageError("report needs an output: add -o report.sqlite, or -o - for standard output");
  if (!options.output && options.full) throw UsageError("--full needs a SQLite file: add -o full.sqlite");
  const bool hides_paths = options.file.redact && *options.file.redact != Redact::names;
  if (options.project_root && hides_paths)
    throw UsageError("--project-root names a folder that --redact hides: omit one of them, or hide names only");
}

/// Prints hints about what a reader of the tables might miss.
void advise(const ReportOptions& options, const Loaded& loaded, const MemoryReport& report,
            const ProjectFiles& project) {
  constexpr std::size_t kMostColumns = 200;
  const std::string root = elided(project.root(), kMostColumns);
  if (!project.has_any() && options.project_root)
    options.file.advise(fmt::format(
        "no frame is in a file of '{}', so stack_frames is empty; the recording's paths may be from another machine",
        root));
  if (project.has_any() && !options.project_root && !project.root().empty())
    options.file.advise(fmt::format(
        "stacks contain files in '{}', the common folder of the user's own; use --project-root for another", root));
  if (report.weights.empty() && report.activations.empty())
    options.file.advise("nothing is known to be a weight or an activation at that moment; memviz stats lists the kinds "
                        "of memory, --kinds FILE adds your own rules");
  std::uint64_t undecided_bytes = 0;
  for (const DeviceId device : report.devices) {
    const KindAccount account = kind_account(loaded.state, device);
    undecided_bytes += account[static_cast<std::size_t>(MemoryKind::parameter_or_state)].bytes;
  }
  if (undecided_bytes > 0)
    options.file.advise(fmt::format("{} may be weights or an optimizer's state, and are in memviz_report only: record "
                                    "from before the model is made",
                                    format_bytes(undecided_bytes)));
}

int run_report(const ReportOptions& options) {
  check_options(options);
  check_outputs(options, {{"-o", options.output}, {"--json", options.json}});
  if (options.output) check_binary_output(*options.output, "an SQLite file");
  const std::optional<std::string> root = root_of(options);
  const std::optional<DeviceId> device = options.scope.device;
  std::optional<SqliteOutput> output;
  if (options.output)
    output.emplace(options.file, *options.output, SqliteTables{.recording = options.full, .device = device});

  const Loaded loaded = load_one(options,
                                 {.moment = moment_of(options.scope),
                                  .kinds = true,
                                  .timeline = true,
                                  .sink = output ? output->events() : nullptr},
                                 device);
  const MemoryReport report =
      naming_file(loaded.name, [&] { return memory_report(loaded.state, loaded.timeline, device); });
  const ProjectFiles project(loaded.state, root);
  advise(options, loaded, report, project);
  if (options.json)
    write_output(options.file, *options.json, naming_file(loaded.name, [&] {
                   return report_json({loaded.name, loaded.state, report, project});
                 }));
  if (output) output->finish(loaded, {report, project});
  return kSuccess;
}

} // namespace

Command report_command() {
  const CommandText text{
      .name = "report",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "weights, gradients and activations as a SQLite file",
      .text = "Writes a memory report like DeepView.Profile's, a SQLite file with the same tables: each weight with "
              "its name, its bytes and those of its gradient, each activation with the operation that made it, their "
              "stacks within your project, and the peak. Weights and activations are recognized by the kinds of memory "
              "(memviz stats); unknown memory is listed in the table memviz_report. Pinned host memory is omitted, "
              "except with --device host. With --full the recording itself can be queried as well.",
      .examples = "  memviz report mem.pickle -o report.sqlite --project-root /home/me/project\n"
                  "  memviz report mem.pickle -o full.sqlite --full\n"
                  "  memviz report mem.pickle --json - | jq '.weights[:3]'\n"
                  "  sqlite3 report.sqlite 'SELECT name, size_bytes FROM weight_entries ORDER BY size_bytes DESC'\n",
  };
  return command(text, report_options(), run_report);
}

} // namespace memviz::cli
