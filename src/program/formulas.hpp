#pragma once

// A node -> the floating point operations of its matrix products: two for each multiplication, which is followed by an
// addition, as torch.utils.flop_counter counts. What is added (a bias), scaled or compared beside them counts nothing.

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

/// Why an operator without a formula is none that can be left out without a word: "" for those that only move, compare,
/// add or reduce elements; else "multiplies matrices in a way that is not counted", or "is not PyTorch's own".
[[nodiscard]] std::string_view why_uncounted(std::string_view target);

} // namespace memviz::program
