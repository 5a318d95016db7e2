#pragma once

// The ranks of a job -> those to rehearse, and the environment that a launcher would give each of them.

#include "io/foreground.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// A job; most of its ranks may be absent.
struct World {
  std::uint64_t ranks = 1;
  std::uint64_t node_ranks = 1; ///< on each node
};

/// The most ranks that run at the same time.
constexpr std::size_t kMostMeeting = 16;

/// Ranks that run at the same time, and meet.
using RankSet = std::vector<std::uint64_t>;

/// "0,3..5,6+7" -> {0}, {3}, {4}, {5}, {6, 7}: the ranks that run alone, and those joined by + that run together; each
/// set once. Throws UsageError that names `option` where it is no such list, where a rank is not below `ranks`, and
/// where more than kMostMeeting are joined.
[[nodiscard]] std::vector<RankSet> parse_ranks(std::string_view option, std::string_view text, std::uint64_t ranks);

/// The ranks to rehearse where none is asked for, most telling first, at most `most`: the first, the last, then those
/// in the middle of the widest gaps.
[[nodiscard]] std::vector<std::uint64_t> spread_ranks(std::uint64_t ranks, std::uint64_t most);

/// What torchrun, Slurm and Open MPI set for the process of `rank`.
[[nodiscard]] Variables launcher_variables(const World& world, std::uint64_t rank);

} // namespace memviz::rehearse
