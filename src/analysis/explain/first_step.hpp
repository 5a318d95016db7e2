#pragma once

// An explanation of a failure in the first training step -> what is still to come in it, and what would make room.

#include "analysis/leaks/passes.hpp"
#include "memviz/explain.hpp"

#include <optional>

namespace memviz {

/// Nothing where an optimizer's step has ended before, where parameters are unknown or older than the recording, where
/// no training shows, or where all is there. `device` has its ledger, kinds and what-ifs; `passes` is of the frames of
/// `state`.
[[nodiscard]] std::optional<FirstStep> first_step(const MemoryState& state, const DeviceExplanation& device,
                                                  PassFinder& passes);

} // namespace memviz
