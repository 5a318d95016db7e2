#pragma once

// Two folders, or files of parts, named on the command line -> what changed on each rank.

#include "cli/frame/command.hpp"
#include "memviz/compare_jobs.hpp"

#include <optional>
#include <string>

namespace memviz::cli {

/// The options of `compare` that apply to two jobs.
struct JobsQuestion {
  RankOptions ranks;
  JobCompareOptions compare;
  std::optional<std::string> json;
  bool is_strict = false;
};

/// Returns the exit code. Throws UsageError if one of the two operands is not a job, and Error if the two share no
/// rank.
[[nodiscard]] int answer_jobs(const CommandOptions& options, const JobsQuestion& question);

} // namespace memviz::cli
