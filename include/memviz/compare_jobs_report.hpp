#pragma once

// A comparison of two jobs -> a table for people and JSON for programs.

#include "memviz/compare_jobs.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// The folders, as the command line names them.
struct JobNames {
  std::string before;
  std::string after;
};

/// The answer and one table with a row for each rank, for each rank of one side alone and for each bad file.
[[nodiscard]] std::string compare_jobs_text(const JobComparison& comparison, const JobNames& names,
                                            std::size_t columns);
[[nodiscard]] std::string compare_jobs_json(const JobComparison& comparison, const JobNames& names);

} // namespace memviz
