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

/// The ranks to rehearse where none is asked for, most telling first, at most `most`: the first, the last, then those
/// in the middle of the widest gaps.
[[nodiscard]] std::vector<std::uint64_t> spread_ranks(std::uint64_t ranks, std::uint64_t most);

/// What torchrun, Slurm and Open MPI set for a process of this rank.
[[nodiscard]] Variables launcher_variables(const WorldRank& world);

} // namespace memviz::rehearse
