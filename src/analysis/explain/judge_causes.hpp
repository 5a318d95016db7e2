#pragma once

// The causes of a failed request -> whether the program would have enough memory without each of them.

#include "analysis/calls/live_block.hpp"
#include "analysis/explain/pass_rest.hpp"
#include "analysis/explain/step_outlook.hpp"
#include "memviz/explain.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

/// Estimates a training step, by the passes so far and what is still to come in a first step. All estimates share the
/// peak of the passes with all causes.
class StepEstimator {
public:
  /// Both must outlive this object.
  StepEstimator(const JudgedFailure& failure, CallLineFinder& finder);

  /// `left_out`: a cause that is left out; nullptr for none.
  [[nodiscard]] StepOutlook outlook(const Cause* left_out);

private:
  using IsEvent = std::function<bool(std::size_t)>;

  [[nodiscard]] PassPeak peak_without(std::uint64_t request_bytes, const IsEvent& is_left_out) const;
  [[nodiscard]] const PassPeak& with_all();

  const JudgedFailure& failure_;
  CallLineFinder& finder_;
  std::vector<std::uint64_t> gradients_; ///< the events that allocated those in use; ascending
  std::vector<std::uint64_t> lasting_;   ///< likewise what lasts longer than a step, without gradients
  std::optional<PassPeak> with_all_;
};

/// Returns the effect of removing each cause of the device: by the pass before, else by an estimate of the step;
/// unknown for causes that are not marked by functions in their stacks.
[[nodiscard]] std::vector<StepEffect> effects_of_removal(const JudgedFailure& failure, StepEstimator& estimator,
                                                         CallLineFinder& finder);

} // namespace memviz
