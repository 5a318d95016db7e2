#pragma once

// A report of many ranks -> text for people, JSON and JSON lines for programs.

#include "memviz/ranks.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// The answer, what stands out, the groups and one table.
[[nodiscard]] std::string ranks_text(const JobReport& report, std::size_t columns);
[[nodiscard]] std::string ranks_json(const JobReport& report);
/// The ranks and the files that were not read, as ranks_json() has them, one a line.
[[nodiscard]] std::string ranks_ndjson(const JobReport& report);
/// One line of at most 8 KB, which read_rank_parts() reads; longer only by what a path of more than 2 KB adds.
[[nodiscard]] std::string rank_part_json(const RankPart& part);

} // namespace memviz
