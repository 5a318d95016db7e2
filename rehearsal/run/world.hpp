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

/// The maximum number of ranks that run at the same time.
constexpr std::size_t kMostMeeting = 16;

/// Ranks that run at the same time, and meet.
using RankSet = std::vector<std::uint64_t>;

/// "0,3..5,6+7" -> {0}, {3}, {4}, {5}, {6, 7}: the ranks that run alone, and those joined by + that run together; each
/// set once. Throws UsageError that names `option` if it is not such a list, if a rank is not below `ranks`, or if more
/// than kMostMeeting are joined.
[[nodiscard]] std::vector<RankSet> parse_ranks(std::string_view option, std::string_view text, std::uint64_t ranks);

/// Returns at most `most` ranks to rehearse if none is requested: the first, the last, then one of each stage of a
/// pipeline of 2, 3, 4, ... stages, for each number that divides `ranks`. Stages are runs of adjacent ranks, as
/// Megatron-LM, DeepSpeed and torchtitan place them. Each has a different position in its node, so that the positions
/// of a tensor-parallel group are covered as well: 0, 511, 257, 132, 386, 70, 195, 325 of 512 ranks on nodes of 8.
[[nodiscard]] std::vector<std::uint64_t> spread_ranks(std::uint64_t ranks, std::uint64_t node_ranks,
                                                      std::uint64_t most);

/// Returns the variables that torchrun, Slurm and Open MPI set for the process of rank `number`.
[[nodiscard]] Variables launcher_variables(const World& world, std::uint64_t number);

} // namespace memviz::rehearse
