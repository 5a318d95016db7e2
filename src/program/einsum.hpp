#pragma once

// An equation of torch.einsum and the sizes of its operands -> the cost of its products.

#include "program/polynomial.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace memviz::program {

/// The sizes of one operand: tensors with long sizes are not copied.
using EinsumOperand = std::reference_wrapper<const std::vector<Polynomial>>;

/// Contracts two operands at a time, from the left or in the order of `path` (pairs of places, as opt_einsum has them);
/// letters that only one of the two has, and that are not needed later, are summed first. Throws Error if the equation
/// does not match the operands, and for more than 256 of them. Source: einsum() and sumproduct_pair() in
/// aten/src/ATen/native/Linear.cpp.
[[nodiscard]] Polynomial einsum_flops(std::string_view equation, std::span<const EinsumOperand> operands,
                                      std::span<const Polynomial> path);

} // namespace memviz::program
