#pragma once

// A comparison of two jobs -> sentences.

#include "memviz/compare_jobs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// "rank 3"; for a file without a rank, its name.
[[nodiscard]] std::string changed_rank_name(const JobComparison& comparison, const RankChange& rank);

/// "keep_samples job.py:121 +96.0 MiB": the line that changed most; "" if none changed.
[[nodiscard]] std::string largest_line_text(const RankChange& rank);

/// Returns the answer: the rank that changed most, by how much and by which line, or that none changed; then the ranks
/// that only one job has, and the files that could not be read.
[[nodiscard]] std::string jobs_headline(const JobComparison& comparison);

/// "rank 2 grew by more than --fail-over 1% allows: its peak by 96.0 MiB (16.1 % of 597 MiB)"; nullopt if no rank did.
[[nodiscard]] std::optional<std::string> jobs_exceeded_text(const JobComparison& comparison);

/// Returns notes: how lines are matched, which figures are unknown, further GPUs of files, other steps.
[[nodiscard]] std::vector<std::string> jobs_notes(const JobComparison& comparison);

/// Returns the remark on a rank: "over the limit", "out of memory after", ...
[[nodiscard]] std::string rank_change_remark(const JobComparison& comparison, const RankChange& rank);

} // namespace memviz
