#pragma once

// A comparison of two jobs -> a table for people and JSON for programs.

#include "memviz/compare_jobs.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// The folders, as given on the command line.
struct JobNames {
  std::string before;
  std::string after;
};

/// Returns the answer and one table, with a row for each rank, each rank that only one side has, and each unreadable
/// file.
[[nodiscard]] std::string compare_jobs_text(const JobComparison& comparison, const JobNames& names,
                                            std::size_t columns);
[[nodiscard]] std::string compare_jobs_json(const JobComparison& comparison, const JobNames& names);

} // namespace memviz
