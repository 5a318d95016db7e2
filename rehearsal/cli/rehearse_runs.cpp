#include "cli/rehearse_runs.hpp"

#include "base/ascii.hpp"
#include "cli/rehearse_jobs.hpp"
#include "io/scratch_file.hpp"
#include "memviz/error.hpp"
#include "run/both_ends.hpp"
#include "run/grid.hpp"
#include "run/neighbours.hpp"
#include "run/search.hpp"
#include "run/tries.hpp"
#include "verdict/fit_doubt_words.hpp"
#include "verdict/fit_report_words.hpp"
#include "verdict/fit_words.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace memviz::cli {

namespace {

namespace fs = std::filesystem;
using rehearse::Axis;
using rehearse::AxisKind;
using rehearse::FitOutcome;
using rehearse::FitReport;
using rehearse::FitRow;
using rehearse::FitRun;
using rehearse::FitVerdict;
using rehearse::RankSet;
using rehearse::RunChange;
using rehearse::Setup;
using Words = std::vector<std::string>;

std::vector<RunChange> changes_of(const AxisOptions& options) {
  std::vector<RunChange> changes = options.changes;
  if (options.tries_levers)
    for (RunChange& lever : rehearse::allocator_levers())
      changes.push_back(std::move(lever));
  return changes;
}

/// GPUs, the names of --search in their order, changes, and last the first range, which is searched.
std::vector<Axis> axes_of(const AxisOptions& options, const std::vector<Setup>& setups,
                          const std::vector<RunChange>& changes) {
  std::vector<Axis> axes;
  if (setups.size() > 1) {
    axes.push_back({.kind = AxisKind::gpu, .name = "gpu"});
    for (const Setup& setup : setups)
      axes.back().values.push_back(setup.profile.name);
  }
  std::optional<Axis> number;
  for (const Axis& search : options.searches) {
    if (search.kind == AxisKind::number && !number) {
      number = search;
      continue;
    }
    axes.push_back(search);
    if (search.kind == AxisKind::number) rehearse::double_numbers(axes.back());
  }
  if (!changes.empty()) {
    axes.push_back({.kind = AxisKind::setting, .name = "setting", .values = {std::string(rehearse::kUnchanged)}});
    for (const RunChange& change : changes)
      axes.back().values.push_back(change.name);
  }
  if (number) axes.push_back(*number);
  return axes;
}

/// Returns a name for the folder of the snapshots with this value, which may have any characters.
std::string folder_name(const Axis& axis, const std::string& value) {
  constexpr std::size_t kMost = 64;
  const auto is_plain = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_'; };
  if (value.size() <= kMost && std::ranges::all_of(value, is_plain)) return fmt::format("{}-{}", axis.name, value);
  const auto found = std::ranges::find(axis.values, value);
  return fmt::format("{}-value-{}", axis.name, found - axis.values.begin() + 1);
}

/// A folder that is there may hold the files of somebody else: it would not be removed.
void check_folder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored))
    throw Error(folder.string() + " already exists, with files in it; use -o to name another folder");
}

/// For a verdict whose snapshots were removed.
void forget_files(FitVerdict& verdict) {
  verdict.facts.files.clear();
  for (rehearse::OutOfMemoryFact& oom : verdict.facts.ooms)
    oom.file.clear();
  if (verdict.peak) verdict.peak->file.clear();
  if (verdict.failure) verdict.failure->facts.file.clear();
}

/// The question that all lanes of the grid answer a part of.
struct Question {
  const AxisOptions& options;
  const std::vector<Setup>& setups;
  const Words& words;
  std::vector<RunChange> changes;
  std::vector<Axis> axes;
};

/// Ends the runs at all points: somebody ended one.
struct Interrupted {};

/// Runs the points of a lane, one after the other.
class LaneRunner {
public:
  LaneRunner(const Question& question, CommonRuns& common)
      : question_(question), common_(common), report_{.axes = question.axes},
        is_search_(rehearse::searched_axis(question.axes) != nullptr) {}

  /// Returns whether the program fits. Throws Interrupted.
  [[nodiscard]] std::optional<rehearse::Fit> run(const Words& point) {
    try {
      const bool is_first = !std::exchange(has_begun_, true) && !learn();
      if (common_.is_stopped()) throw Interrupted();
      const auto fit = run_point(point);
      if (is_first) common_.set_learned_at_first(learned_);
      return fit;
    } catch (...) {
      common_.stop();
      throw;
    }
  }

  [[nodiscard]] std::vector<FitRun>& runs() { return report_.runs; }

private:
  /// Returns false if this is the first point of all.
  [[nodiscard]] bool learn() {
    auto learned = common_.learned_at_first();
    if (!learned) return false;
    learned_ = std::move(*learned);
    return true;
  }

  /// The program at a point.
  struct At {
    JobProgram program;
    WorldOptions world;
    std::string name;
  };

  [[nodiscard]] At at(const Words& point) {
    At at{{question_.setups.front(), question_.words, {}},
          question_.options.world,
          rehearse::point_name(report_.axes, point)};
    JobProgram& program = at.program;
    Variables values;
    const RunChange* change = nullptr;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const Axis& axis = report_.axes[i];
      const auto place = static_cast<std::size_t>(std::ranges::find(axis.values, point[i]) - axis.values.begin());
      if (axis.kind == AxisKind::gpu)
        program.setup = question_.setups[place];
      else if (axis.kind != AxisKind::setting)
        values.emplace_back(axis.name, point[i]);
      else if (place > 0)
        change = &question_.changes[place - 1];
    }
    program.variables = values;
    if (change != nullptr) {
      program.words = rehearse::with_arguments(std::move(program.words), *change);
      program.variables.insert(program.variables.end(), change->variables.begin(), change->variables.end());
    }
    program.words = rehearse::with_values(std::move(program.words), values);
    program.setup.output = folder_of(point);
    if (learned_.has_values) program.setup.values = rehearse::Values::on;
    take_launcher_of(at);
    check(at.world);
    return at;
  }

  [[nodiscard]] fs::path folder_of(const Words& point) const {
    fs::path folder = question_.setups.front().output;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const Axis& axis = report_.axes[i];
      if (axis.kind == AxisKind::gpu)
        folder /= point[i];
      else if (axis.kind != AxisKind::setting)
        folder /= folder_name(axis, point[i]);
      else if (point[i] != rehearse::kUnchanged)
        folder /= fmt::format("variant-{}", std::ranges::find(axis.values, point[i]) - axis.values.begin());
    }
    return folder;
  }

  /// Makes it a job where a launcher in its words does, which a value may change.
  void take_launcher_of(At& at) {
    if (question_.options.keeps_launcher) return;
    const auto line = take_launcher(at.world, at.program.words);
    if (line) common_.say_once(*line);
  }

  [[nodiscard]] std::optional<rehearse::Fit> run_point(const Words& point) {
    At at = this->at(point);
    if (is_search_) check_folder(at.program.setup.output);
    std::optional<ScratchFile> written;
    const bool is_hidden = !question_.options.searches.empty() || question_.options.jobs > 1;
    if (is_hidden && !question_.options.shows_output) {
      written.emplace();
      at.program.setup.program_output = written->descriptor();
    }
    for (FitRun& run : run_beside(at)) {
      run.point = point;
      report_.runs.push_back(std::move(run));
    }
    const FitRow row = rows_of(report_).back();
    const FitVerdict& verdict = row.points.back()->verdict;
    const bool has_answer = rehearse::is_answer(verdict);
    // Why it failed otherwise only the program itself can say.
    if (written && !has_answer) common_.show(*written);
    if (!at.world.ranks && !point.empty()) common_.say(fmt::format("{}: {}", at.name, rehearse::short_text(verdict)));
    if (rehearse::is_interrupted(verdict)) throw Interrupted();
    if (!has_answer) return std::nullopt;
    if (is_search_) finish(row);
    if (verdict.outcome != FitOutcome::fits) return rehearse::Fit::no;
    return rehearse::is_sure(verdict) ? rehearse::Fit::surely : rehearse::Fit::possibly;
  }

  /// Runs the program after those of --share, which run once for each GPU.
  [[nodiscard]] std::vector<FitRun> run_beside(At& at) {
    Setup& setup = at.program.setup;
    const rehearse::Neighbours& neighbours = common_.neighbours(setup);
    if (neighbours.refused) return {FitRun{.point = {}, .verdict = *neighbours.refused}};
    setup.other_bytes = neighbours.taken_bytes;
    std::vector<FitRun> runs = at.world.ranks ? run_job(at) : std::vector<FitRun>{run_alone(at)};
    for (FitRun& run : runs)
      run.verdict.neighbours = neighbours.there;
    return runs;
  }

  [[nodiscard]] FitRun run_alone(const At& at) const {
    const JobProgram& program = at.program;
    const auto begin = std::chrono::steady_clock::now();
    FitRun run{.point = {}, .verdict = rehearse::rehearse(program.setup, program.words, program.variables)};
    const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
    if (report_.axes.empty()) rehearse::try_changes(program.setup, program.words, run.verdict, took);
    return run;
  }

  /// The ranks that are chosen first run at all points at which the job has as many; in a search the fullest first.
  [[nodiscard]] std::vector<FitRun> run_job(At& at) {
    std::vector<RankSet>& chosen = learned_.ranks[*at.world.ranks];
    at.program.ranks = chosen;
    at.program.stops_early = is_search_;
    const std::string before = at.name.empty() ? "" : at.name + ", ";
    std::vector<FitRun> runs =
        run_ranks(at.world, at.program, [&](const std::string& line) { common_.say(before + line); });
    const bool are_all = std::ranges::all_of(runs, [&](const FitRun& run) {
      return rehearse::is_answer(run.verdict) && (!is_search_ || run.verdict.outcome == FitOutcome::fits);
    });
    if (!chosen.empty() || at.world.rank || !are_all) return runs;
    std::vector<const FitRun*> order;
    for (const FitRun& run : runs)
      order.push_back(&run);
    if (is_search_)
      std::ranges::stable_sort(order, [](const FitRun* one, const FitRun* other) {
        return peak_of(one->verdict) > peak_of(other->verdict);
      });
    for (const FitRun* const run : order)
      chosen.push_back({*run->rank});
    return runs;
  }

  /// Removes the snapshots of a row that a later run of it makes useless, and remembers whether the run with zeros is
  /// needed.
  void finish(const FitRow& row) {
    const FitRun* smallest = nullptr;
    for (const FitRun* const run : row.points)
      if (run->verdict.outcome == FitOutcome::does_not_fit) smallest = run; // the search goes down to it
    for (const FitRun* const point : row.points) {
      const bool is_sure = row.sure && point->point.back() == std::to_string(*row.sure);
      if (point == smallest || point == row.answer || is_sure) continue;
      std::error_code ignored;
      fs::remove_all(folder_of(point->point), ignored);
      for (FitRun& run : report_.runs)
        if (run.point == point->point) forget_files(run.verdict);
    }
    learned_.has_values = learned_.has_values || rehearse::need_values_alone(row.points.back()->verdict);
  }

  const Question& question_;
  CommonRuns& common_;
  FitReport report_; ///< of this lane
  bool is_search_;
  bool has_begun_ = false;
  Learned learned_ = {};
};

/// Returns the place of a point on each axis but the number.
std::vector<std::size_t> row_of(const std::vector<Axis>& axes, const Words& point) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (axes[i].kind != AxisKind::number)
      places.push_back(static_cast<std::size_t>(std::ranges::find(axes[i].values, point[i]) - axes[i].values.begin()));
  return places;
}

} // namespace

FitReport run_points(const AxisOptions& options, const std::vector<Setup>& setups, const Words& words,
                     const OnLine& on_line) {
  std::vector<RunChange> changes = changes_of(options);
  std::vector<Axis> axes = axes_of(options, setups, changes);
  const Question question{options, setups, words, std::move(changes), std::move(axes)};
  CommonRuns common(options, setups, words, on_line);
  std::mutex mutex;
  std::deque<LaneRunner> lanes;
  const auto start = [&]() -> rehearse::RunPoint {
    const std::scoped_lock lock(mutex);
    LaneRunner& lane = lanes.emplace_back(question, common);
    return [&lane](const Words& point) { return lane.run(point); };
  };
  try {
    rehearse::run_grid(question.axes, start, options.jobs);
  } catch (const Interrupted&) {
    // The answer is about the points until then.
  }
  FitReport report{.axes = question.axes};
  for (LaneRunner& lane : lanes)
    std::ranges::move(lane.runs(), std::back_inserter(report.runs));
  std::ranges::stable_sort(report.runs, {}, [&](const FitRun& run) { return row_of(report.axes, run.point); });
  return report;
}

} // namespace memviz::cli
