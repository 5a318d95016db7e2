#include "rnn_space.hpp"

#include "numbers.hpp"

#include <algorithm>

namespace memviz::rehearsal {
namespace {

constexpr std::uint64_t kPseudoLayerBytes = 8 << 20; // of each direction of each layer
constexpr std::uint64_t kHeaderBytes = 256;
// A backward pass goes through several layers of one direction at once, by groups of steps: few in a large batch.
constexpr std::uint64_t kGroupRows = 128;
constexpr std::uint64_t kFewestGroupSteps = 5;
constexpr std::uint64_t kMostGroupSteps = 32;

std::uint64_t padded(std::uint64_t bytes) {
  return round_up(bytes, 32);
}

std::uint64_t gates(RnnCell cell) {
  return cell == RnnCell::lstm ? 4 : cell == RnnCell::gru ? 3 : 1;
}

// The bytes of the buffers that workspaces consist of.
struct Units {
  explicit Units(const RnnShape& shape)
      : states(shape.total_steps * shape.hidden * shape.element_bytes),
        inputs(shape.total_steps * shape.input * shape.element_bytes),
        ends(shape.layers * shape.batch * shape.hidden * shape.element_bytes) {}

  std::uint64_t states; // the hidden states of a direction
  std::uint64_t inputs; // the sequences
  std::uint64_t ends;   // the last, or first, hidden states of a direction of all layers
};

// Returns the bytes of padded sequences and states without their padding: once in a forward pass, twice, for the values
// and the gradients, in a backward pass.
std::uint64_t unpadded_bytes(const RnnShape& shape, const Units& units) {
  if (shape.is_packed) return 0;
  const std::uint64_t kinds_of_states = shape.cell == RnnCell::lstm ? 2 : 1;
  return padded(units.states * shape.directions) + padded(units.inputs) +
         2 * kinds_of_states * padded(units.ends * shape.directions);
}

// Returns the bytes that both passes need: for the cells of an LSTM, and to join two directions.
std::uint64_t common_bytes(const RnnShape& shape, const Units& units) {
  return (shape.cell == RnnCell::lstm ? 2 * padded(units.ends * shape.directions) : 0) +
         (shape.directions == 2 ? padded(4 * units.ends) : 0);
}

std::uint64_t forward_bytes(const RnnShape& shape, const Units& units) {
  const std::uint64_t per_step = gates(shape.cell) * shape.directions;
  return padded(units.states * per_step) + (shape.directions == 2 ? padded(4 * units.states) : 0) +
         (shape.is_persistent ? padded(4 * gates(shape.cell) * units.states) : 0) +
         padded(units.ends * (shape.is_persistent ? 2 : per_step)) + common_bytes(shape, units) +
         unpadded_bytes(shape, units);
}

std::uint64_t persistent_backward_bytes(const RnnShape& shape, const Units& units) {
  const std::uint64_t between_layers = shape.layers > 1 ? shape.directions : 0;
  const std::uint64_t of_gru = shape.cell == RnnCell::gru ? 3 : 0;
  const std::uint64_t per_step = 6 + 4 * shape.directions + gates(shape.cell) + of_gru + between_layers;
  return padded(units.states * per_step) + 2 * padded(units.ends);
}

std::uint64_t standard_backward_bytes(const RnnShape& shape, const Units& units) {
  const std::uint64_t ends = padded(units.ends * shape.directions);
  if (shape.directions == 2) return padded(units.states * (shape.layers > 1 ? 8 : 6)) + ends;
  const std::uint64_t group_steps =
      std::clamp(kGroupRows / std::max<std::uint64_t>(shape.batch, 1), kFewestGroupSteps, kMostGroupSteps);
  const std::uint64_t groups_bytes =
      (shape.layers + 1) * group_steps * shape.batch * shape.hidden * shape.element_bytes;
  const std::uint64_t between_layers = shape.layers > 1 ? std::min(units.states, groups_bytes) : units.states;
  return padded(units.states) + padded(between_layers) + ends;
}

std::uint64_t backward_bytes(const RnnShape& shape, const Units& units) {
  return (shape.is_persistent ? persistent_backward_bytes(shape, units) : standard_backward_bytes(shape, units)) +
         common_bytes(shape, units) + 2 * unpadded_bytes(shape, units);
}

} // namespace

std::uint64_t rnn_workspace_bytes(const RnnShape& shape, bool is_training) {
  const Units units(shape);
  const std::uint64_t forward = forward_bytes(shape, units);
  const std::uint64_t pass_bytes = is_training ? std::max(forward, backward_bytes(shape, units)) : forward;
  const std::uint64_t lengths_bytes = shape.is_packed ? 0 : padded(8 * shape.batch);
  return kPseudoLayerBytes * shape.layers * shape.directions + shape.matrix_bytes + pass_bytes + kHeaderBytes +
         lengths_bytes;
}

std::uint64_t rnn_reserve_bytes(const RnnShape& shape) {
  const std::uint64_t layer_bytes = shape.total_steps * shape.hidden * shape.directions * shape.element_bytes;
  const std::uint64_t kept = shape.cell == RnnCell::lstm ? 5 : shape.cell == RnnCell::gru ? 6 : 1;
  // The mask of dropout takes two bits for each element, with the padding even of packed sequences.
  const std::uint64_t mask_bytes =
      shape.has_dropout ? shape.steps * shape.batch * shape.hidden * shape.directions / 4 : 0;
  return kHeaderBytes + padded(layer_bytes * kept * shape.layers) +
         (shape.layers - 1) * (padded(layer_bytes) + mask_bytes);
}

} // namespace memviz::rehearsal
