#pragma once

// A node -> the floating point operations of its matrix products: two for each multiplication, which is followed by an
// addition, as in torch.utils.flop_counter. Additions of a bias, scaling and comparisons count nothing.

#include "memviz/flops.hpp"
#include "program/program.hpp"

#include <optional>
#include <string_view>

namespace memviz::program {

/// "aten.mm" of "aten.mm.default"
[[nodiscard]] std::string_view operator_of(std::string_view target);

/// Returns the operations; nullopt if the operator does not count. Throws Error if its tensors lack the sizes that it
/// needs. Source: torch/utils/flop_counter.py, PyTorch 2.15, and for operators that it counts as others (linear,
/// matmul, einsum) the implementations in aten/src/ATen/native.
[[nodiscard]] std::optional<Polynomial> flops_of(const Node& node, const Graph& graph);

/// Returns why an operator has no formula.
[[nodiscard]] UncountedReason uncounted_reason(std::string_view target);

} // namespace memviz::program
