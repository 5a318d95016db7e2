#pragma once

// The ranks of a job -> those to rehearse, and the environment that a launcher would give each of them.

#include "io/foreground.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// One rank of a job whose other ranks are absent.
struct WorldRank {
  std::uint64_t rank = 0;
  std::uint64_t ranks = 1;      ///< of the job
  std::uint64_t node_ranks = 1; ///< on each node
};

/// "0,3..5,511" -> the ranks, in that order, each once. Throws UsageError that names `option` where it is no such list,
/// and where a rank is not below `ranks`.
[[nodiscard]] std::vector<std::uint64_t> parse_ranks(std::string_view option, std::string_view text,
                                                     std::uint64_t ranks);

/// Returns the ranks to rehearse where none is asked for, at most `most`: the first, the last, then one of each stage
/// of a pipeline of 2, 3, 4, ... stages, for each number that divides `ranks`. Stages are runs of adjacent ranks, as
/// Megatron-LM, DeepSpeed and torchtitan place them. Each has another position in its node, so that the positions of a
/// tensor-parallel group are met as well: 0, 511, 257, 132, 386, 70, 195, 325 of 512 ranks on nodes of 8.
[[nodiscard]] std::vector<std::uint64_t> spread_ranks(std::uint64_t ranks, std::uint64_t node_ranks,
                                                      std::uint64_t most);

/// Returns the variables that torchrun, Slurm and Open MPI set for a process of this rank.
[[nodiscard]] Variables launcher_variables(const WorldRank& world);

} // namespace memviz::rehearse
