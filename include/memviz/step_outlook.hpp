#pragma once

// The most memory that a training step holds -> whether PyTorch's memory is enough, and if not, which part of the batch
// would be. All sizes are bytes.

#include <cstdint>

namespace memviz {

/// An estimate of a training step once the optimizer has its state. Its fullest moment is either in the forward and
/// backward pass or in the optimizer's step; `lasting_bytes` and `fixed_bytes` are there in both.
struct StepOutlook {
  std::uint64_t lasting_bytes = 0; ///< parameters and the optimizer's state, with what is still to come of it
  std::uint64_t fixed_bytes = 0;   ///< workspaces of libraries: of every size of batch the same
  std::uint64_t kept_bytes = 0;    ///< in addition at the fullest moment of a pass: gradients, what was there before it
  std::uint64_t pass_bytes = 0;    ///< in addition at that moment: what the batch takes
  std::uint64_t update_bytes = 0;  ///< what the optimizer's step holds in addition: gradients, temporaries
  std::uint64_t room_bytes = 0;    ///< that PyTorch holds or can take; 0 if nothing is known
};

/// The effect of a change on a step.
struct StepEffect {
  bool is_known = false;
  std::uint64_t missing_bytes = 0; ///< what is still missing with the change
  std::uint64_t left_bytes = 0;    ///< what is free at the fullest moment, if nothing is missing
  /// The step has enough memory, with a margin of a sixteenth for memory in pieces, if the batch is divided by this as
  /// well: 1, 2, 4 or 8; 0 if by none.
  std::uint64_t batch_divisor = 1;
  /// Whether this holds only for an optimizer that keeps nothing: none has run, and with two values for each parameter
  /// no batch is small enough.
  bool needs_small_state = false;

  [[nodiscard]] bool is_enough() const { return batch_divisor == 1; }
};

/// Returns whether a step with these figures has enough memory.
[[nodiscard]] StepEffect step_effect(const StepOutlook& outlook);

} // namespace memviz
