#pragma once

// Ranks of a group -> the ranks that are far from its medians.

#include "analysis/ranks/rank_medians.hpp"
#include "memviz/ranks.hpp"

#include <vector>

namespace memviz {

struct Outliers {
  std::vector<RankDifference> ranks;     ///< in the order of the members
  std::vector<RankDifference> by_timing; ///< only communication buffers differ
};
/// Returns the members of `group` with |x - median| > max(4 MAD, 1 MiB, 0.5 %) in a line, if these differences do not
/// cancel each other out. Median absolute deviations (MAD) of few ranks are small by chance: in a group of n < 16 they
/// are multiplied by 16 / n, and a group of two has no outliers. Batches of another length scale all activations of a
/// rank by one factor: a line that they explain better is compared after division by the factor, and the factors are
/// compared by themselves.
[[nodiscard]] Outliers outliers_of(const RankTable& table, const RankGroup& group);

} // namespace memviz
