#pragma once

// The causes of a failed request -> whether the program would have enough memory without each of them.

#include "analysis/calls/live_block.hpp"
#include "analysis/explain/pass_rest.hpp"
#include "memviz/explain.hpp"

#include <span>
#include <vector>

namespace memviz {

/// The parts that judging needs. `blocks` are those in use at the request.
struct JudgedFailure {
  const DeviceExplanation& device; ///< with its causes and kinds
  const FirstStep* first_step;     ///< nullptr if a step has ended before
  const LeadUp& lead_up;
  const PassRest& rest;
  std::span<const LiveBlock> blocks;
};

/// Returns an estimate of a training step, by the passes so far and what is still to come in a first step. `left_out`:
/// a cause that is left out; nullptr for none.
[[nodiscard]] StepOutlook step_outlook(const JudgedFailure& failure, const Cause* left_out, CallLineFinder& finder);

/// Returns the effect of removing each cause of the device: by the pass before, else by an estimate of the step;
/// unknown for causes that are not marked by functions in their stacks.
[[nodiscard]] std::vector<StepEffect> effects_of_removal(const JudgedFailure& failure, CallLineFinder& finder);

} // namespace memviz
