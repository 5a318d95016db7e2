#pragma once

// A report of many ranks -> text for people, JSON and JSON lines for programs; and parts, which are read again.

#include "memviz/ranks.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Returns the answer, the outliers, the groups and one table.
[[nodiscard]] std::string ranks_text(const JobReport& report, std::size_t columns);
[[nodiscard]] std::string ranks_json(const JobReport& report);
/// Returns the ranks and the unreadable files as in ranks_json(), one per line.
[[nodiscard]] std::string ranks_ndjson(const JobReport& report);
/// Returns one line of at most 8 KB, for read_rank_parts(); longer only by the excess of a path of more than 2 KB.
[[nodiscard]] std::string rank_part_json(const RankPart& part);
/// The first bytes of each line of a file of parts.
inline constexpr std::string_view kRankPartHead = R"({"schema":"memviz.ranks-part/)";
/// Reads parts, one per line. Throws Error, with the line number, for one that is damaged or of another version.
[[nodiscard]] std::vector<RankPart> read_rank_parts(std::string_view bytes);

} // namespace memviz
