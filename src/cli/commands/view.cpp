#include "answers/rank_parts.hpp"
#include "answers/scope_options.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/progress.hpp"
#include "cli/frame/rank_files.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "html/view_page.hpp"
#include "memviz/answers.hpp"
#include "memviz/contents.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/ranks.hpp"
#include "memviz/recording_columns.hpp"
#include "memviz/several_snapshots.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "memviz/story.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline_svg.hpp"
#include "memviz/warnings.hpp"
#include "story/ranks_words.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memviz::cli {

namespace {

/// The size for four million events, and the limit of what a mail can carry.
constexpr std::uint64_t kUsualBytes = 30'000'000;

struct ViewOptions : CommandOptions {
  std::optional<std::string> output;
  std::optional<SizeLimit> max_size;
  bool is_empty = false;
  SnapshotQuestion part; ///< of each snapshot in the page
};

OptionList<ViewOptions> view_options() {
  return joined<ViewOptions>(
      {{verbatim({"output", 'o', "FILE", "the page; - is standard output (required)"}, &ViewOptions::output),
        flag({"empty", '\0', "", "without a snapshot: a page on which you can drop snapshots"}, &ViewOptions::is_empty),
        parsed({"max-size", '\0', "SIZE", "refuse to write a larger page (default: 30MB)"}, &ViewOptions::max_size,
               parse_size_limit)},
       within<ViewOptions>(&ViewOptions::part, snapshot_part_options()),
       within<ViewOptions>(
           &ViewOptions::part,
           within<SnapshotQuestion>(&SnapshotQuestion::scope, {parsed(device_text(), &Scope::device, parse_device)})),
       snapshot_options<ViewOptions>()});
}

/// Whether the page contains the bytes of the file itself.
bool is_whole(const ViewOptions& options) {
  return options.file.redactor == nullptr && !options.part.scope.device && !options.part.from && !options.part.to;
}

/// Writes the requested part of a snapshot anew, without anything that --redact hides.
Input rewritten(Session& session, const ViewOptions& options) {
  const Loaded loaded = loaded_from(session, wants_of(options.part), options.part.scope.device);
  say_warnings(options.file, loaded.name, warnings_of(loaded.state));
  std::string bytes = whole_text(snapshot_pickle_source(loaded.state, part_of(options.part, loaded)));
  check_redacted(options.file, bytes);
  return input_of(std::move(bytes));
}

/// A snapshot in the page, and the text about it on the cover.
struct Carried {
  std::string columns;
  Loaded loaded;
  std::vector<RankPart> parts; ///< if it is of a job
};

Carried carried(Session& snapshot, const std::string& name, const ViewOptions& options) {
  std::optional<Session> anew;
  if (!is_whole(options)) anew.emplace(rewritten(snapshot, options), SessionOptions{.name = name});
  Session& session = anew ? *anew : snapshot;
  const std::shared_ptr<const Recording> recording = session.keep_events();
  Loaded loaded =
      loaded_from(session, {.moment = {.kind = MomentKind::automatic}, .kinds = true, .timeline = true}, std::nullopt);
  if (!anew) say_warnings(options.file, name, warnings_of(loaded.state));
  std::vector<RankPart> parts;
  if (options.has_several) parts = rank_parts(name, session);
  return Carried{columns_of(*recording), std::move(loaded), std::move(parts)};
}

Carried carried(const std::string& file, const ViewOptions& options) {
  const std::string name = shown_name(file, options.file);
  return naming_file(name, [&] {
    SnapshotFile snapshot(file, options.file);
    return carried(snapshot.session(), name, options);
  });
}

PageCover cover_of(Loaded first) {
  constexpr std::size_t kPictureBytes = 80'000;
  FlameAnswer flame = flame_answer({}, std::move(first));
  const FlamePicture picture = picture_of(flame);
  const Story story = flame_story(picture.subject);
  PageCover cover{story.headline, story.answer, {}};
  cover.pictures.push_back(flame_svg(picture, {.scripts = false, .max_bytes = kPictureBytes}));
  const TimelineAnswer timeline = timeline_answer({}, std::move(flame.loaded));
  const auto has_events = [](const TimelineDevice& device) { return device.record.events > 0; };
  if (std::ranges::any_of(timeline.devices, has_events))
    cover.pictures.push_back(timeline_svg(picture_of(timeline), {.scripts = false, .max_bytes = kPictureBytes}));
  return cover;
}

PageCover cover_of_job(std::vector<RankPart> parts) {
  const JobReport report = job_report(std::move(parts));
  return {.headline = ranks_headline(report),
          .answer = "",
          .pictures = {ranks_svg(report, {.scripts = false})},
          .is_of_job = true};
}

/// The snapshots in a page, and its cover.
struct PageParts {
  std::vector<PageSnapshot> snapshots;
  PageCover cover;
  std::uint64_t events = 0;

  void add(const Carried& one, std::string name) {
    for (const auto& [device, count] : one.loaded.state.recording->event_counts)
      events += count;
    snapshots.push_back({std::move(name), one.columns});
  }
};

/// Returns the path of an operand without "." and a "/" at its end.
std::string plain_path(const std::string& operand) {
  const std::string whole = std::filesystem::path(operand + "/").lexically_normal().string();
  return whole.substr(0, whole.size() - 1);
}

/// Returns the end of a file's path that begins with the last `depth` parts of the path of its operand.
std::string end_of_path(const std::string& file, const std::string& operand, std::size_t depth) {
  namespace fs = std::filesystem;
  fs::path above = plain_path(operand);
  for (std::size_t i = 0; i < depth; ++i)
    above = above.parent_path();
  return above.empty() ? file : fs::path(file).lexically_normal().lexically_relative(above).string();
}

/// Returns how many of the last parts of their paths distinguish the operands: of "a/ranks" and "b/ranks" two. No more
/// than that, because pages are shared.
std::size_t depth_of_names(const std::vector<std::string>& operands) {
  std::set<std::string> all;
  std::size_t most = 1;
  for (const std::string& operand : operands)
    all.insert(plain_path(operand));
  for (const std::string& one : all)
    most = std::max(most, static_cast<std::size_t>(std::ranges::count(one, '/')) + 1);
  for (std::size_t depth = 1; depth < most; ++depth) {
    std::set<std::string> names;
    for (const std::string& one : all)
      names.insert(end_of_path(one, one, depth));
    if (names.size() == all.size()) return depth;
  }
  return most;
}

PageParts parts_of_files_given(const ViewOptions& options) {
  PageParts page;
  const std::size_t depth = depth_of_names(options.operands);
  for (const std::string& file : options.operands) {
    Carried one = carried(file, options);
    const bool has_folder = depth > 1 && options.file.redactor == nullptr && file.find('/') != std::string::npos;
    page.add(one, has_folder ? end_of_path(file, file, depth) : picture_name(one.loaded.name));
    if (page.snapshots.size() == 1) page.cover = cover_of(std::move(one.loaded));
  }
  return page;
}

/// Takes a snapshot of a job, with its name from that of its file on: "/rank0.pickle" in an archive, "[0]" in a pickle.
using TakeSnapshot = std::function<void(Session& session, const std::string& inside)>;

/// Calls `take` with each snapshot of a file, and says which cannot be read.
void each_snapshot(const std::string& file, const FileOptions& options, const TakeSnapshot& take) {
  const auto named = [&](const std::string& inside, const auto& step) {
    try {
      naming_file(shown_name(file + inside, options), step);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      say_message(error.what());
    }
  };
  named("", [&] {
    ProgressLine progress(picture_name(file), options.is_quiet);
    const SessionOptions session_opts = session_options(shown_name(file, options), options, progress);
    Contents contents = contents_of(file, session_opts);
    for (std::size_t i = 0; i < contents.names().size(); ++i) {
      const std::string inside = contents.names()[i].empty() ? "" : '/' + contents.names()[i];
      named(inside, [&] {
        Session session(contents.take(i), session_opts);
        std::size_t index = 0;
        try {
          take(session, inside);
        } catch (const SeveralSnapshots&) {
          session.read_each([&](const std::string& own, Session& one) {
            take(one, inside + (options.redactor == nullptr ? own : fmt::format("[{}]", index)));
            ++index;
          });
        }
      });
    }
  });
}

/// The page of a job: folders, archives and files of several snapshots, each of which is a rank. Those that cannot be
/// read are left out.
PageParts parts_of_job(const ViewOptions& options) {
  PageParts page;
  std::vector<RankPart> parts;
  const std::size_t depth = depth_of_names(options.operands);
  for (const std::string& operand : options.operands) {
    for (const std::string& file : files_of({operand})) {
      each_snapshot(file, options.file, [&](Session& session, const std::string& inside) {
        Carried one = carried(session, shown_name(file + inside, options.file), options);
        const std::string whole = file + inside;
        const std::string name =
            options.file.redactor == nullptr ? end_of_path(whole, operand, depth) : shown_name(whole, options.file);
        page.add(one, name);
        for (RankPart& part : one.parts)
          parts.emplace_back(std::move(part)).file = name;
      });
    }
  }
  if (parts.empty()) throw Error("no file could be read as a snapshot");
  page.cover = cover_of_job(std::move(parts));
  return page;
}

PageParts parts_of_page(ViewOptions options) {
  options.has_several =
      std::ranges::any_of(options.operands, [&](const std::string& one) { return is_job(one, options.file); });
  if (!options.has_several) {
    try {
      return parts_of_files_given(options);
    } catch (const SeveralSnapshots&) {
      const auto is_file = [](const std::string& one) { return std::filesystem::is_regular_file(one); };
      if (!std::ranges::all_of(options.operands, is_file)) throw; // a pipe has been read
      options.has_several = true;
    }
  }
  if (options.file.rank) throw UsageError("--rank chooses from one file; of a folder all snapshots are taken");
  return parts_of_job(options);
}

int run_view(const ViewOptions& given) {
  if (!given.output) throw UsageError("view needs an output: add -o view.html, or -o - for standard output");
  check_outputs(given, {{"-o", given.output}});
  const auto [snapshots, cover, events] = parts_of_page(given);
  const std::string page = view_page(snapshots, cover);
  const std::uint64_t most_bytes = given.max_size ? given.max_size->bytes : kUsualBytes;
  if (page.size() > most_bytes)
    throw Error(fmt::format(
        "the page would have {} with {}, more than {}: allow it with --max-size, include fewer events with --from and "
        "--to, or write a page without the snapshot (memviz view --empty -o page.html) and drop the file on it",
        format_bytes(page.size()), format_counted(events, "event"), format_bytes(most_bytes)));
  write_output(given.file, *given.output, page);
  return kSuccess;
}

} // namespace

Command view_command() {
  const CommandText text{
      .name = "view",
      .operands = "SNAPSHOT...|FOLDER -o FILE [options]",
      .summary = "an HTML page to explore a recording, event by event",
      .text =
          "Writes one self-contained HTML page: live memory over all events with a playhead, the allocations at "
          "the playhead, and for the moment or the shown range the flame graph, the segments, why memory ran out, "
          "tables, events and differences, all of them linked. The page contains the snapshots and memviz's own "
          "engine as WebAssembly, works offline, and sends nothing anywhere. With --redact, --device, --from or "
          "--to it contains them rewritten, as export --format pickle does. The snapshots in a folder, an archive or a "
          "file of several are the ranks of a job: the page begins with what each holds and which stands out, and a "
          "click opens one.",
      .examples = "  memviz view mem.pickle -o view.html\n"
                  "  memviz view rank0.pickle rank1.pickle -o ranks.html\n"
                  "  memviz view snapshots/ -o job.html\n"
                  "  memviz view mem.pickle --redact all -o shared.html\n"
                  "  memviz view mem.pickle --from 100000 --to 120000 -o view.html\n"
                  "  memviz view --empty -o page.html\n",
      .takes_several = true,
      .stands_alone = "empty",
  };
  return command(text, view_options(), run_view);
}

} // namespace memviz::cli
