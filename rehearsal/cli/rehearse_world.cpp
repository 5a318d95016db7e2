#include "cli/rehearse_world.hpp"

#include "answers/sizes.hpp"
#include "io/terminal.hpp"
#include "memviz/device_id.hpp"
#include "memviz/error.hpp"
#include "run/launcher.hpp"
#include "run/world.hpp"
#include "verdict/fit_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>
#include <utility>

namespace memviz::cli {

namespace {

using rehearse::FitRun;
using rehearse::FitVerdict;
using rehearse::RankSet;

constexpr std::uint64_t kMostRanks = 1'000'000;
constexpr std::uint64_t kDefaultRanks = 8;
constexpr std::uint64_t kDefaultNodeRanks = 8;

/// Whether two runs are of the same kind of rank.
bool are_alike(const FitVerdict& one, const FitVerdict& other) {
  return one.outcome == other.outcome && rehearse::peak_of(one) == rehearse::peak_of(other);
}

/// Returns the ranks to rehearse: each set in its own run, its ranks at the same time.
std::vector<RankSet> chosen_ranks(const WorldOptions& options, const rehearse::World& world) {
  if (options.rank) return rehearse::parse_ranks("rank", *options.rank, world.ranks);
  std::vector<RankSet> sets;
  for (const std::uint64_t rank :
       rehearse::spread_ranks(world.ranks, world.node_ranks, options.most_ranks.value_or(kDefaultRanks)))
    sets.push_back({rank});
  return sets;
}

bool is_done(const std::vector<FitRun>& runs, const RankSet& set) {
  return std::ranges::all_of(set, [&](std::uint64_t rank) {
    return std::ranges::any_of(runs, [&](const FitRun& run) { return run.rank == rank; });
  });
}

/// Returns the ranks outside of `set` whose objects a rank of it takes, as many as may meet.
RankSet needed_by(const std::vector<FitVerdict>& verdicts, const RankSet& set) {
  RankSet needed;
  for (const FitVerdict& verdict : verdicts)
    for (const std::uint64_t rank : verdict.facts.needed_ranks)
      if (std::ranges::find(set, rank) == set.end()) needed.push_back(rank);
  std::ranges::sort(needed);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  needed.resize(std::min(needed.size(), rehearse::kMostMeeting - set.size()));
  return needed;
}

/// Runs the ranks of `set` at the same time, and again with those that turn out to be needed.
std::vector<FitRun> run_together(const JobProgram& program, RankSet set, const OnLine& on_line) {
  const auto run = [&] { return rehearse::rehearse_ranks(program.setup, set, program.words, program.variables); };
  std::vector<FitVerdict> verdicts = run();
  for (RankSet needed = needed_by(verdicts, set); !needed.empty(); needed = needed_by(verdicts, set)) {
    on_line(fmt::format("rank {} takes objects from {}: run again, together", fmt::join(set, " + "),
                        fmt::join(needed, ", ")));
    set.insert(set.end(), needed.begin(), needed.end());
    std::ranges::sort(set);
    verdicts = run();
  }
  std::vector<FitRun> runs;
  for (std::size_t index = 0; index < set.size(); ++index)
    runs.push_back({{}, set[index], program.setup.world->ranks, std::move(verdicts[index])});
  return runs;
}

/// Compiling programs take minutes.
void say_start(const WorldOptions& options, const RankSet& set, std::pair<std::size_t, std::size_t> run,
               const OnLine& on_line) {
  if (error_is_terminal())
    on_line(fmt::format("rank {} of {}: run {} of {}{}", fmt::join(set, " + "), *options.ranks, run.first,
                        options.rank ? "" : "at most ", run.second));
}

/// Whether the launcher's ranks are rehearsed one by one, unless --world decides.
bool exceeds_machine(const rehearse::Launch& launch, const rehearse::LaunchSize& size) {
  return launch.needs_cluster || size.ranks > size.node_ranks ||
         size.node_ranks > std::max(1U, std::thread::hardware_concurrency());
}

} // namespace

OptionList<WorldOptions> world_options() {
  return {
      parsed({"world", '\0', "N",
              "run the program as one rank of a job of N: the others are absent, and assumed to do the same"},
             &WorldOptions::ranks, parse_up_to<kMostRanks>),
      verbatim({"rank", '\0', "R,R..R,R+R",
                "with --world, the ranks to rehearse, each in a separate run; those joined by + run at the same time "
                "and meet"},
               &WorldOptions::rank),
      rare(parsed({"ranks", '\0', "N",
                   "without --rank, the maximum number of ranks (default: 8): the first, the last and some in between, "
                   "until two in a row show nothing new"},
                  &WorldOptions::most_ranks, parse_up_to<kMostRanks>)),
      rare(parsed({"local-world", '\0', "N", "with --world, the number of ranks and GPUs per node (default: 8)"},
                  &WorldOptions::local_world, parse_up_to<kMostDeviceIds>)),
  };
}

void check(const WorldOptions& options) {
  if (!options.ranks && (options.rank || options.most_ranks || options.local_world))
    throw UsageError("--rank, --ranks and --local-world are for --world");
  if (options.rank && options.most_ranks) throw UsageError("--rank and --ranks exclude each other");
}

std::optional<std::string> take_launcher(WorldOptions& options, std::vector<std::string>& words) {
  const auto launch = rehearse::launch_of(words);
  if (!launch) return std::nullopt;
  if (launch->has_several_programs)
    throw UsageError(fmt::format("{} starts several programs, separated by ':'; give only one of them, with --world N",
                                 launch->launcher));
  const auto size = size_of(*launch, options.local_world.value_or(kDefaultNodeRanks));
  if (launch->needs_cluster && !size && !options.ranks)
    throw UsageError(fmt::format("{} leaves the number of ranks to the cluster; add --world N", launch->launcher));
  const bool is_asked = options.ranks || options.rank || options.most_ranks;
  if (!is_asked && (!size || !exceeds_machine(*launch, *size))) return std::nullopt;
  if (size && size->ranks == 0) return std::nullopt;
  if (size && (size->ranks > kMostRanks || size->node_ranks > kMostDeviceIds))
    throw UsageError(fmt::format("{} asks for {} ranks, {} on each node: at most {}, and {} on each node",
                                 launch->launcher, size->ranks, size->node_ranks, kMostRanks, kMostDeviceIds));
  words = launch->words;
  if (size && !options.local_world) options.local_world = size->node_ranks;
  if (options.ranks || !size) return std::nullopt;
  options.ranks = size->ranks;
  return fmt::format("{} asks for {} ranks, and this machine has {} cores: run as --world {} --local-world {}",
                     launch->launcher, *options.ranks, std::thread::hardware_concurrency(), *options.ranks,
                     *options.local_world);
}

std::vector<FitRun> run_ranks(const WorldOptions& options, JobProgram program, const OnLine& on_line) {
  const std::uint64_t ranks = *options.ranks;
  rehearse::Setup& setup = program.setup;
  setup.world = rehearse::World{ranks, std::min(ranks, options.local_world.value_or(kDefaultNodeRanks))};
  setup.devices = static_cast<std::uint32_t>(setup.world->node_ranks);
  const bool is_chosen = program.ranks.empty() && !options.rank;
  const std::vector<RankSet> sets = program.ranks.empty() ? chosen_ranks(options, *setup.world) : program.ranks;
  std::vector<FitRun> runs;
  std::size_t repeats = 0;
  for (std::size_t index = 0; index < sets.size(); ++index) {
    if (is_done(runs, sets[index])) continue;
    say_start(options, sets[index], {index + 1, sets.size()}, on_line);
    bool is_known = true;
    bool fits = true;
    for (FitRun& run : run_together(program, sets[index], on_line)) {
      on_line(fmt::format("rank {} of {}: {}", *run.rank, ranks, rehearse::short_text(run.verdict)));
      is_known = is_known &&
                 std::ranges::any_of(runs, [&](const FitRun& other) { return are_alike(run.verdict, other.verdict); });
      fits = fits && run.verdict.outcome == rehearse::FitOutcome::fits;
      runs.push_back(std::move(run));
    }
    repeats = is_known ? repeats + 1 : 0;
    if (!rehearse::is_answer(runs.back().verdict) || (is_chosen && repeats == 2) || (program.stops_early && !fits))
      break;
  }
  std::ranges::sort(runs, [](const FitRun& one, const FitRun& other) { return one.rank < other.rank; });
  return runs;
}

} // namespace memviz::cli
