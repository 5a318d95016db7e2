#pragma once

// A program -> the tensors that its forward pass keeps for backward: activation memory.

#include "memviz/flops.hpp"
#include "program/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::program {

/// A storage that is kept, counted once however many operators keep it.
struct Saved {
  ModuleId module = kWholeModel; ///< of the first operator that keeps it
  Polynomial bytes;
};

struct SavedTensors {
  std::vector<Saved> all;
  /// The operators that gradients flow through and whose rule is not known, by name, then the assumptions about
  /// operators that several kernels implement.
  std::vector<FlopNote> notes;
};

/// As autograd does it in training mode: parameters and views of them are not counted, since they are there anyway;
/// inputs are. What an operator keeps is by derivatives.yaml; a composite operator's, by what it is made of.
/// Source: tools/autograd/derivatives.yaml, PyTorch 2.13.
[[nodiscard]] SavedTensors saved_tensors(const Program& program);

} // namespace memviz::program
