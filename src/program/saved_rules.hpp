#pragma once

// An operator -> which of its tensors autograd keeps for backward, as a table.

#include "memviz/flops.hpp"
#include "program/polynomial.hpp"
#include "program/program.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace memviz::program {

/// The tensors of a node that are kept.
enum class Keep : std::uint8_t {
  nothing,
  operand, ///< the argument `name`
  factor,  ///< the argument `name`, if `other` needs a gradient
  result,  ///< the result number `place`; if `other` has a name, only if that argument needs a gradient
};

struct KeepRule {
  std::string_view target; ///< without overload, and without the underscore of an in-place operator: "aten.relu"
  Keep keep = Keep::nothing;
  std::string_view name = {};
  std::string_view other = {};
  std::size_t place = 0; ///< of `name` among the arguments, or of the result
};

/// Returns the rules of an operator; nullopt if it is unknown.
[[nodiscard]] std::optional<std::span<const KeepRule>> keep_rules(std::string_view target);

/// Whether its result is a view of its first tensor.
[[nodiscard]] bool is_view(const Node& node, const Graph& graph);

/// Returns the elements of the copy of the tensor `id` at `name` that it makes and keeps in place of the tensor: for a
/// batched product that no view can turn into a single batch. Nullopt if it makes none. Source: matmul() in
/// aten/src/ATen/native/LinearAlgebra.cpp.
[[nodiscard]] std::optional<Polynomial> copied_elements(const Node& node, const Graph& graph, std::string_view name,
                                                        TensorId id);

/// Returns the assumption if one operator of a program can be any of several kernels that keep different tensors.
[[nodiscard]] std::optional<FlopAssumption> assumption_of(const Node& node);

/// Returns the bytes that it keeps besides its own tensors: the statistics of a normalisation, the mask of a dropout.
[[nodiscard]] Polynomial extra_kept_bytes(const Node& node, const Graph& graph);

} // namespace memviz::program
