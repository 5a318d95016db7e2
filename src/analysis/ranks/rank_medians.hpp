#pragma once

// Ranks of a group -> their medians by line, and the ranks that are far from them.

#include "analysis/ranks/rank_groups.hpp"
#include "memviz/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// The memory of all ranks by line, with a number for each line.
struct RankTable {
  using ByKind = std::map<std::pair<LineId, MemoryKind>, std::uint64_t>;

  std::vector<std::string> lines; ///< by LineId
  std::vector<RankRow> rows;      ///< by index of JobReport::ranks
  std::vector<ByKind> kinds;      ///< the same
};

[[nodiscard]] RankTable rank_table(const JobReport& report);

/// Returns the medians of the total and of each line and kind of `group`, with the minimum and maximum of its members'
/// totals.
[[nodiscard]] RankGroup group_of(const RankTable& table, std::vector<std::size_t> members);

struct Outliers {
  std::vector<RankDifference> ranks;     ///< in the order of the members
  std::vector<RankDifference> by_timing; ///< only communication buffers differ
};
/// Returns the members of `group` with |x - median| > max(4 MAD, 1 MiB, 0.5 %) in a line, if these differences do not
/// cancel each other out. Median absolute deviations (MAD) of few ranks are small by chance: in a group of n < 16 they
/// are multiplied by 16 / n, and a group of two has no outliers.
[[nodiscard]] Outliers outliers_of(const RankTable& table, const RankGroup& group);

/// Returns all differences of a rank from the medians of its group, largest first, without those below the 1 MiB or 0.5
/// % of outliers_of().
[[nodiscard]] RankDifference difference_of(const RankTable& table, std::size_t rank, const RankGroup& group);

} // namespace memviz
