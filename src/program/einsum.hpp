#pragma once

// An equation of torch.einsum and the sizes of its operands -> what its products cost.

#include "program/polynomial.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace memviz::program {

/// The sizes of one: tensors with long sizes are not copied.
using EinsumOperand = std::reference_wrapper<const std::vector<Polynomial>>;

/// Two operands after the other are contracted, from the left or as `path` says (pairs of places, as opt_einsum has
/// them); letters that only one of the two has, and nothing needs later, are summed before. Throws Error where the
/// equation does not fit the operands, and for more than 256 of them.
/// Source: einsum() and sumproduct_pair() in aten/src/ATen/native/Linear.cpp.
[[nodiscard]] Polynomial einsum_flops(std::string_view equation, std::span<const EinsumOperand> operands,
                                      std::span<const Polynomial> path);

} // namespace memviz::program
