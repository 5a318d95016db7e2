#pragma once

// A program -> the tensors that its forward pass keeps for backward: activation memory.

#include "memviz/flops.hpp"
#include "program/program.hpp"

#include <vector>

namespace memviz::program {

/// A storage that is kept, counted once however many operators keep it.
struct Saved {
  ModuleId module = kWholeModel; ///< of the first operator that keeps it
  Polynomial bytes;
};

struct SavedTensors {
  std::vector<Saved> all;
  /// The operators with gradients whose rule is unknown, by name, then the assumptions about operators that several
  /// kernels implement.
  std::vector<FlopNote> notes;
};

/// Follows autograd in training mode: parameters and views of them are not counted, since they exist anyway; inputs
/// are. The kept tensors of an operator follow derivatives.yaml; those of a composite operator, its parts. Source:
/// tools/autograd/derivatives.yaml, PyTorch 2.13.
[[nodiscard]] SavedTensors saved_tensors(const Program& program);

} // namespace memviz::program
