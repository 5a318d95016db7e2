#pragma once

// Activation memory from sizes alone: the bytes that autograd must keep for the layers of model.hpp. Follows
// Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", with what LibTorch really saves
// beside the large tensors.

#include <cstdint>

namespace memviz::capture::program {

struct LayerShape {
  std::int64_t batch = 2;
  std::int64_t sequence = 4096;
  std::int64_t model = 1024;
  std::int64_t heads = 2;
  std::int64_t element_bytes = 2;
  bool is_cuda = false;
  bool has_dropout = false;
};

/// Linear to 4 * model, activation, Linear back, dropout. `saves_input`: the activation keeps its input, not its
/// result.
[[nodiscard]] std::int64_t mlp_bytes(const LayerShape& shape, bool saves_input);

/// x + attention(norm(x)), then x + mlp(norm(x)).
[[nodiscard]] std::int64_t block_bytes(const LayerShape& shape, bool saves_input);

} // namespace memviz::capture::program
