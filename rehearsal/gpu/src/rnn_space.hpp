// The shape of a call of one of cuDNN's recurrent networks -> the bytes of its workspace and its reserve space. cuDNN
// documents neither. The formulas were derived from measured sizes (NVIDIA H100 80GB HBM3, cuDNN 9.19, 2026-11-26):
// docs/rehearse.md says how many they give exactly.
#pragma once

#include <cstdint>

namespace memviz::rehearsal {

enum class RnnCell { simple, lstm, gru };

struct RnnShape {
  RnnCell cell = RnnCell::simple;
  bool is_persistent = false; // a persistent algorithm, such as the one of small hidden sizes
  bool is_packed = false;     // sequences without padding
  bool has_dropout = false;
  std::uint64_t directions = 1, layers = 1, input = 0, hidden = 0;
  std::uint64_t batch = 0;
  std::uint64_t steps = 0;        // of the longest sequence
  std::uint64_t total_steps = 0;  // of all sequences, with the padding if they are not packed
  std::uint64_t matrix_bytes = 0; // of all weights, without biases
  std::uint64_t element_bytes = 4;
};

[[nodiscard]] std::uint64_t rnn_workspace_bytes(const RnnShape& shape, bool is_training);
// Returns the bytes that a forward pass in training keeps for its backward pass.
[[nodiscard]] std::uint64_t rnn_reserve_bytes(const RnnShape& shape);

} // namespace memviz::rehearsal
