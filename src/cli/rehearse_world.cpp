#include "cli/rehearse_world.hpp"

#include "cli/sizes.hpp"
#include "memviz/device_id.hpp"
#include "memviz/error.hpp"
#include "rehearse/world.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace memviz::cli {

namespace {

using rehearse::FitVerdict;
using rehearse::RankRun;
using rehearse::RanksReport;

constexpr std::uint64_t kMostRanks = 1'000'000;
constexpr std::uint64_t kDefaultRanks = 8;
constexpr std::uint64_t kDefaultNodeRanks = 8;

/// Whether two runs are of the same kind of rank.
bool are_alike(const FitVerdict& one, const FitVerdict& other) {
  return one.outcome == other.outcome && rehearse::peak_of(one) == rehearse::peak_of(other);
}

} // namespace

OptionList<WorldOptions> world_options() {
  return {
      parsed({"world", '\0', "N",
              "the program is one rank of a job of N: the others are absent, and are taken to do what it does"},
             &WorldOptions::ranks, parse_up_to<kMostRanks>),
      verbatim({"rank", '\0', "R,R..R", "with --world, which ranks to rehearse, each in a run of its own"},
               &WorldOptions::rank),
      rare(parsed({"ranks", '\0', "N",
                   "without --rank, at most so many (default: 8): the first, the last and some between, until two in a "
                   "row bring nothing new"},
                  &WorldOptions::most_ranks, parse_up_to<kMostRanks>)),
      rare(parsed({"local-world", '\0', "N", "with --world, how many ranks and GPUs a node has (default: 8)"},
                  &WorldOptions::local_world, parse_up_to<kMostDeviceIds>)),
  };
}

void check(const WorldOptions& options) {
  if (!options.ranks && (options.rank || options.most_ranks || options.local_world))
    throw UsageError("--rank, --ranks and --local-world are for --world");
  if (options.rank && options.most_ranks) throw UsageError("--rank and --ranks exclude each other");
}

RanksReport run_ranks(const WorldOptions& options, rehearse::Setup setup, const std::vector<std::string>& words,
                      const OnRank& on_rank) {
  const std::uint64_t ranks = *options.ranks;
  const std::uint64_t node_ranks = std::min(ranks, options.local_world.value_or(kDefaultNodeRanks));
  setup.devices = static_cast<std::uint32_t>(node_ranks);
  RanksReport report{.ranks = ranks};
  std::size_t repeats = 0;
  for (const std::uint64_t rank :
       options.rank ? rehearse::parse_ranks("rank", *options.rank, ranks)
                    : rehearse::spread_ranks(ranks, node_ranks, options.most_ranks.value_or(kDefaultRanks))) {
    setup.world = rehearse::WorldRank{rank, ranks, node_ranks};
    FitVerdict verdict = rehearse::rehearse(setup, words, {});
    on_rank(fmt::format("rank {} of {}", rank, ranks), verdict);
    const bool is_known = std::any_of(report.runs.begin(), report.runs.end(),
                                      [&](const RankRun& run) { return are_alike(run.verdict, verdict); });
    repeats = is_known ? repeats + 1 : 0;
    report.runs.push_back({rank, std::move(verdict)});
    if (!rehearse::is_answer(report.runs.back().verdict) || (!options.rank && repeats == 2)) break;
  }
  std::sort(report.runs.begin(), report.runs.end(),
            [](const RankRun& one, const RankRun& other) { return one.rank < other.rank; });
  return report;
}

} // namespace memviz::cli
