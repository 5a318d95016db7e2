#pragma once

// The options of `memviz rehearse` that name axes (--search, --compare-with, --levers, --world, several GPUs) -> the
// runs of the program over them.

#include "answers/option.hpp"
#include "cli/rehearse_world.hpp"
#include "run/change.hpp"
#include "run/rehearsal_run.hpp"
#include "verdict/fit_runs.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz::cli {

struct AxisOptions {
  std::vector<rehearse::Axis> searches; ///< of --search, as given
  bool shows_output = false;
  std::vector<rehearse::RunChange> changes; ///< of --compare-with
  bool tries_levers = false;                ///< --levers: PyTorch's allocator settings as well
  std::vector<std::string> shares;          ///< commands of --share
  std::size_t jobs = 1;                     ///< runs at once
  WorldOptions world;
  bool keeps_launcher = false; ///< a launcher in the words starts its ranks itself
};

[[nodiscard]] OptionList<AxisOptions> axis_options();

/// Throws UsageError where the options contradict each other or the program's words.
void check(const AxisOptions& options, const std::vector<std::string>& words);

/// Runs the program at each point of the axes, with a setup for each GPU, `jobs` at a time: as many as there are GPUs,
/// values and settings to combine, and the report is the same. Of a search only the snapshots
/// of the largest number that fits and of the smallest that does not are kept. The program's output is hidden in a
/// search and with several jobs, except where it fails otherwise. A single run that does not fit is followed by what
/// may let it go on. Throws as rehearse() does, and Error where a folder of the snapshots has files.
[[nodiscard]] rehearse::FitReport run_points(const AxisOptions& options, const std::vector<rehearse::Setup>& setups,
                                             const std::vector<std::string>& words, const OnLine& on_line);

} // namespace memviz::cli
