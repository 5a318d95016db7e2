#pragma once

// `memviz rehearse --world`: the options that name ranks of a job, and the runs of those ranks.

#include "answers/option.hpp"
#include "io/foreground.hpp"
#include "run/rehearsal_run.hpp"
#include "run/world.hpp"
#include "verdict/fit_runs.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memviz::cli {

struct WorldOptions {
  std::optional<std::uint64_t> ranks; ///< of the job; nothing without --world
  std::optional<std::string> rank;
  std::optional<std::uint64_t> most_ranks;
  std::optional<std::uint64_t> local_world;
};

[[nodiscard]] OptionList<WorldOptions> world_options();

/// Throws UsageError where the options contradict each other.
void check(const WorldOptions& options);

/// Has `words` without srun and mpirun, and --world and --local-world as the launcher in them asks, where they are not
/// given and the ranks cannot all run on this machine, on one node with a core for each, or some of them are chosen.
/// Returns the line that says so, nothing where the launcher runs as it is or there is none. Throws UsageError where it
/// asks for too many.
[[nodiscard]] std::optional<std::string> take_launcher(WorldOptions& options, std::vector<std::string>& words);

/// Called with a line for each run, and on a terminal before it.
using OnLine = std::function<void(const std::string& line)>;

/// A program to run as ranks of a job.
struct JobProgram {
  rehearse::Setup setup;
  std::vector<std::string> words;
  Variables variables;                       ///< for its environment
  std::vector<rehearse::RankSet> ranks = {}; ///< those that run; empty: as the options say
  bool stops_early = false;                  ///< at the first rank that does not fit
};

/// Rehearses the ranks that the program or the options name, or some that are spread over the job until two in a row
/// show nothing new, and none after one without an answer. Returns the runs by rank, without a point. Throws as
/// rehearse() does.
[[nodiscard]] std::vector<rehearse::FitRun> run_ranks(const WorldOptions& options, JobProgram program,
                                                      const OnLine& on_line);

} // namespace memviz::cli
