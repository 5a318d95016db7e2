#pragma once

// Programs that are on a GPU before the rehearsed one (--share) -> the memory that they leave of it.

#include "run/rehearsal_run.hpp"
#include "verdict/fit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// The programs that are there, and the first of them that did not get its memory, or gave no answer.
struct Neighbours {
  std::vector<Neighbour> there = {};
  std::vector<std::uint64_t> taken_bytes = {}; ///< of each device
  std::optional<FitVerdict> refused = {};
};

/// Rehearses each command, which a shell runs, with those before it on the GPU, until one is refused. Each is counted
/// with its peak from then on: programs that share a GPU meet their peaks sooner or later. Their snapshots are in
/// folders share-1, share-2, ... of the setup's. Throws as rehearse() does.
[[nodiscard]] Neighbours rehearse_neighbours(const Setup& setup, const std::vector<std::string>& commands);

} // namespace memviz::rehearse
