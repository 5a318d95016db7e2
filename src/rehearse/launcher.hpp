#pragma once

// The words of a command -> the ranks that a launcher in them would start: torchrun, `python -m torch.distributed.run`,
// accelerate, deepspeed and srun. The launchers of Python run as they are: the hook becomes the program of the rank
// where they would start processes. srun, which a machine without a cluster does not have, is taken off.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// A launcher and the ranks that it is asked for.
struct Launch {
  std::string launcher;    ///< as it is named in the command: "torchrun"
  std::uint64_t nodes = 1; ///< the most, where it is a range
  std::optional<std::uint64_t> node_ranks =
      {};                         ///< on each node; nothing where the launcher takes as many as there are GPUs
  std::vector<std::string> words; ///< the command without srun
};

/// Returns the launcher at the beginning of a command, nothing where there is none. Of several, one within another, the
/// words are those after srun, and the ranks those of the innermost.
[[nodiscard]] std::optional<Launch> launch_of(const std::vector<std::string>& words);

} // namespace memviz::rehearse
