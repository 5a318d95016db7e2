#pragma once

// A node -> the floating point operations of its matrix products: two for each multiplication, which is followed by an
// addition, as torch.utils.flop_counter counts. What is added (a bias), scaled or compared besides them counts nothing.

#include "memviz/flops.hpp"
#include "program/program.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::program {

/// "aten.mm" of "aten.mm.default"
[[nodiscard]] std::string_view operator_of(std::string_view target);

/// Nothing where the operator is not one that counts. Throws Error where its tensors do not have the sizes that it
/// needs.
/// Source: torch/utils/flop_counter.py, PyTorch 2.15, and for what it counts as other operators (linear, matmul,
/// einsum) the implementations in aten/src/ATen/native.
[[nodiscard]] std::optional<Polynomial> flops_of(const Node& node, const Graph& graph);

/// Finds out why an operator has no formula.
[[nodiscard]] UncountedReason uncounted_reason(std::string_view target);

} // namespace memviz::program
