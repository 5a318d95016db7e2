#include "formula.hpp"

namespace memviz::capture::program {
namespace {

std::int64_t tokens(const LayerShape& shape) {
  return shape.batch * shape.sequence;
}
std::int64_t elements(const LayerShape& shape) {
  return tokens(shape) * shape.model;
}

/// CUDA has an operator for dropout with a mask of bool; on the CPU the mask has the type of the input, because
/// dropout is a product with it there.
std::int64_t dropout_bytes(const LayerShape& shape) {
  if (!shape.has_dropout) return 0;
  return elements(shape) * (shape.is_cuda ? 1 : shape.element_bytes);
}

/// The input, and the mean and the reciprocal deviation of each token: float on CUDA, on the CPU as the parameters are.
std::int64_t norm_bytes(const LayerShape& shape) {
  const std::int64_t statistic_bytes = shape.is_cuda ? 4 : shape.element_bytes;
  return elements(shape) * shape.element_bytes + 2 * tokens(shape) * statistic_bytes;
}

/// Fused attention: the input of the projection, q, k, v, the result; of each row of the attention matrix only the
/// logarithm of its sum, in float. On CUDA a seed and an offset of 8 bytes each as well.
std::int64_t attention_bytes(const LayerShape& shape) {
  return 5 * elements(shape) * shape.element_bytes + tokens(shape) * shape.heads * 4 + (shape.is_cuda ? 16 : 0);
}

} // namespace

std::int64_t mlp_bytes(const LayerShape& shape, bool saves_input) {
  const std::int64_t widths = 1 + 4 + (saves_input ? 4 : 0);
  return widths * elements(shape) * shape.element_bytes + dropout_bytes(shape);
}

std::int64_t block_bytes(const LayerShape& shape, bool saves_input) {
  return 2 * norm_bytes(shape) + attention_bytes(shape) + mlp_bytes(shape, saves_input);
}

} // namespace memviz::capture::program
