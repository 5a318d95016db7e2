#pragma once

// The words of a command -> the ranks that a launcher in them would start: torchrun, `python -m torch.distributed.run`,
// accelerate, deepspeed, Lightning's `fabric run`, srun, mpirun and mpiexec. Python launchers run unchanged: the hook
// becomes the program of the rank when they would start processes. srun and mpirun, which a machine without a cluster
// may lack, are removed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// A launcher and the requested ranks.
struct Launch {
  std::string launcher;                         ///< as it is named in the command: "torchrun"
  std::optional<std::uint64_t> nodes = {};      ///< the maximum, if it is a range
  std::optional<std::uint64_t> node_ranks = {}; ///< on each node
  std::optional<std::uint64_t> ranks = {};      ///< of the whole job
  bool needs_cluster = false;                   ///< whether the command has srun
  bool has_several_programs = false;            ///< of mpirun, with ":" between them
  std::vector<std::string> words = {};          ///< the command without srun and mpirun
};

/// Returns the launcher at the beginning of a command, nullopt if there is none. For nested launchers, the words are
/// those after srun or mpirun, and the ranks those of the innermost.
[[nodiscard]] std::optional<Launch> launch_of(const std::vector<std::string>& words);

/// The number of ranks of a job, and how many of them a node has.
struct LaunchSize {
  std::uint64_t ranks = 0;
  std::uint64_t node_ranks = 0;
};

/// Returns the job that `launch` requests, with `default_node_ranks` on each node if it does not specify them; nullopt
/// if it leaves both the ranks and the nodes to the cluster. A count too large for a number becomes the largest number.
[[nodiscard]] std::optional<LaunchSize> size_of(const Launch& launch, std::uint64_t default_node_ranks);

} // namespace memviz::rehearse
