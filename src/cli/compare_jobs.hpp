#pragma once

// Two folders, or files of parts, that the command line names -> what changed on each rank.

#include "cli/command.hpp"
#include "memviz/compare_jobs.hpp"

#include <optional>
#include <string>

namespace memviz::cli {

/// The options of `compare` that two jobs have.
struct JobsQuestion {
  RankOptions ranks;
  JobCompareOptions compare;
  std::optional<std::string> json;
  bool is_strict = false;
};

/// Returns the exit code. Throws UsageError where one of the two operands is no job, and Error where no rank is in
/// both.
[[nodiscard]] int answer_jobs(const CommandOptions& options, const JobsQuestion& question);

} // namespace memviz::cli
