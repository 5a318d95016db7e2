#pragma once

// A report of many ranks -> sentences.

#include "memviz/ranks.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// "rank 3"; for a file without a rank, its name.
[[nodiscard]] std::string rank_name(const JobReport& report, std::size_t rank);
/// "0 to 3, 7, 9 to 63": for ranks of the report; files without a rank are only counted.
[[nodiscard]] std::string rank_list(const JobReport& report, const std::vector<std::size_t>& ranks);
/// "5, 8 to 11"
[[nodiscard]] std::string range_list(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges);
/// "keep_samples job.py:121 +96.0 MiB (activations)": the largest lines.
[[nodiscard]] std::string difference_lines(const RankDifference& difference);
/// The line, or "other lines".
[[nodiscard]] std::string line_name(const std::string& line);

/// Returns the answer: which rank ran out of memory or stands out, by how much and by which lines, or that none does;
/// then how many files could not be read and which ranks are missing.
[[nodiscard]] std::string ranks_headline(const JobReport& report);
/// Returns what the answer begins with, in a line or two of a phone: "Rank 2 stands out: 296 MiB more than its group".
[[nodiscard]] std::string ranks_short_headline(const JobReport& report);
/// Returns notes on the files: further ones of a rank, those without a rank, differences due to timing.
[[nodiscard]] std::vector<std::string> ranks_notes(const JobReport& report);
/// Returns the remark on a rank: "out of memory", "stands out", "events lost", ...
[[nodiscard]] std::string rank_remark(const JobReport& report, std::size_t rank);

} // namespace memviz
