#pragma once

// An explanation of a failure in the first training step -> what the step still has to allocate, and what would make
// room.

#include "analysis/explain/pass_memory.hpp"
#include "analysis/steps/passes.hpp"
#include "memviz/explain.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// Returns nullopt if an optimizer's step has already ended, if parameters are unknown or older than the recording, or
/// if there is no sign of training. `device` has its ledger, kinds and what-ifs; `memory` is
/// that of its pass; `passes` uses the frames of `state`.
[[nodiscard]] std::optional<FirstStep> first_step(const MemoryState& state, const DeviceExplanation& device,
                                                  const PassMemory& memory, PassFinder& passes);

/// Decides which of the ways to need less are enough, by an estimate of the step.
void judge_levers(FirstStep& step, const StepOutlook& outlook);

/// Whether an optimizer's step has ended before the request, by the annotations that PyTorch makes.
[[nodiscard]] bool has_ended_a_step(const Recording& recording, const Request& request);

/// Returns the indices of the first events after each of these steps, ascending; empty if the events have no times.
[[nodiscard]] std::vector<std::uint64_t> ends_of_steps(const Recording& recording, const EventTable& events);

} // namespace memviz
