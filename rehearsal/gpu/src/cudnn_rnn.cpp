// cuDNN's recurrent networks: the layout of their weights in one buffer, which PyTorch queries to make its parameters
// views of it, and the memory that a call requests (rnn_space.hpp). The matrices of all layers come first, then the
// biases of all layers.
#include "cudnn_tensor.hpp"
#include "machine.hpp"
#include "rnn_space.hpp"
#include "stubs.hpp"

#include <numeric>

using namespace memviz::rehearsal;

namespace {

constexpr int kLstm = 2;
constexpr int kGru = 3;
constexpr int kNoBias = 0;
constexpr int kDoubleBias = 2;
constexpr int kInvalidValue = 2000; // CUDNN_STATUS_BAD_PARAM
constexpr int kStandardAlgorithm = 0;
constexpr int kPackedLayout = 1;
constexpr int kTraining = 1;
constexpr std::uint64_t kDropoutStatesBytes = 48 << 10; // of each multiprocessor, measured on an H100

// Sequences, padded to the longest or packed.
struct SequencesDescriptor {
  bool is_packed = false;
  std::uint64_t steps = 0, batch = 0, total_steps = 0;
};

struct DropoutDescriptor {
  float probability = 0;
};

struct Network {
  int algorithm = kStandardAlgorithm, cell = 0, bias = 0, directions = 1, type = 0;
  bool has_dropout = false;
  std::size_t input = 0, hidden = 0, projection = 0, layers = 0;

  [[nodiscard]] int gates() const { return cell == kLstm ? 4 : cell == kGru ? 3 : 1; }
  [[nodiscard]] bool has_projection() const { return projection != hidden; }
  // A pseudo-layer is one direction of a layer. It has two matrices per gate, for the input and for the state, and a
  // projection.
  [[nodiscard]] int matrices() const { return 2 * gates() + (has_projection() ? 1 : 0); }
  [[nodiscard]] std::size_t pseudo_layers() const { return layers * static_cast<std::size_t>(directions); }
  [[nodiscard]] std::size_t rows(int matrix) const { return matrix == 2 * gates() ? projection : hidden; }
  [[nodiscard]] std::size_t columns(std::size_t pseudo_layer, int matrix) const {
    if (matrix == 2 * gates()) return hidden;
    if (matrix >= gates()) return projection;
    const bool is_first = pseudo_layer < static_cast<std::size_t>(directions);
    return is_first ? input : projection * static_cast<std::size_t>(directions);
  }
  [[nodiscard]] bool has_bias(int matrix) const {
    if (bias == kNoBias || matrix >= 2 * gates()) return false;
    return bias == kDoubleBias || (bias == 1) == (matrix < gates());
  }
};

std::size_t element_bytes(int type) {
  return type == 1 ? 8 : type == 0 ? 4 : 2; // double, float, half and bfloat16
}

// Returns the position of a matrix; for the position after the last one, the count of all elements of matrices.
std::size_t matrix_offset(const Network& network, std::size_t pseudo_layer, int matrix) {
  std::size_t offset = 0;
  for (std::size_t layer = 0; layer <= pseudo_layer && layer < network.pseudo_layers(); ++layer)
    for (int index = 0; index < (layer == pseudo_layer ? matrix : network.matrices()); ++index)
      offset += network.rows(index) * network.columns(layer, index);
  return offset;
}

std::size_t bias_offset(const Network& network, std::size_t pseudo_layer, int matrix) {
  std::size_t offset = matrix_offset(network, network.pseudo_layers(), 0);
  for (std::size_t layer = 0; layer <= pseudo_layer && layer < network.pseudo_layers(); ++layer)
    for (int index = 0; index < (layer == pseudo_layer ? matrix : network.matrices()); ++index)
      if (network.has_bias(index)) offset += network.hidden;
  return offset;
}

RnnShape shape_of(const Network& network, const SequencesDescriptor& sequences) {
  RnnShape shape;
  shape.cell = network.cell == kLstm ? RnnCell::lstm : network.cell == kGru ? RnnCell::gru : RnnCell::simple;
  shape.is_persistent = network.algorithm != kStandardAlgorithm;
  shape.is_packed = sequences.is_packed;
  shape.has_dropout = network.has_dropout;
  shape.directions = static_cast<std::uint64_t>(network.directions);
  shape.layers = network.layers;
  shape.input = network.input;
  shape.hidden = network.hidden;
  shape.batch = sequences.batch;
  shape.steps = sequences.steps;
  shape.total_steps = sequences.total_steps;
  shape.element_bytes = element_bytes(network.type);
  shape.matrix_bytes = matrix_offset(network, network.pseudo_layers(), 0) * shape.element_bytes;
  return shape;
}

void describe(Handle descriptor, int type, std::size_t rows, std::size_t columns) {
  auto* const tensor = static_cast<TensorDescriptor*>(descriptor);
  tensor->type = type;
  tensor->dimensions = {1, static_cast<int>(rows), static_cast<int>(columns)};
  tensor->strides = {static_cast<int>(rows * columns), static_cast<int>(columns), 1};
}

} // namespace

MEMVIZ_EXPORT int cudnnCreateRNNDescriptor(Handle* out) {
  *out = new Network;
  return 0;
}
MEMVIZ_EXPORT int cudnnDestroyRNNDescriptor(Handle network) {
  delete static_cast<Network*>(network);
  return 0;
}
MEMVIZ_EXPORT int cudnnSetRNNDescriptor_v8(Handle handle, int algorithm, int cell, int bias, int direction, int,
                                           int type, int, int, int input, int hidden, int projection, int layers,
                                           Handle dropout, unsigned) {
  if (input < 0 || hidden <= 0 || projection < 0 || layers <= 0) return kInvalidValue;
  auto& network = *static_cast<Network*>(handle);
  network.algorithm = algorithm;
  network.cell = cell;
  network.bias = bias;
  network.directions = direction == 1 ? 2 : 1;
  network.type = type;
  network.input = static_cast<std::size_t>(input);
  network.hidden = static_cast<std::size_t>(hidden);
  network.projection = static_cast<std::size_t>(projection);
  network.layers = static_cast<std::size_t>(layers);
  network.has_dropout = dropout && static_cast<DropoutDescriptor*>(dropout)->probability > 0;
  return 0;
}

MEMVIZ_EXPORT int cudnnCreateRNNDataDescriptor(Handle* out) {
  *out = new SequencesDescriptor;
  return 0;
}
MEMVIZ_EXPORT int cudnnDestroyRNNDataDescriptor(Handle sequences) {
  delete static_cast<SequencesDescriptor*>(sequences);
  return 0;
}
MEMVIZ_EXPORT int cudnnSetRNNDataDescriptor(Handle handle, int, int layout, int steps, int batch, int,
                                            const int* lengths, const void*) {
  if (steps < 0 || batch < 0 || !lengths) return kInvalidValue;
  auto& sequences = *static_cast<SequencesDescriptor*>(handle);
  sequences.is_packed = layout == kPackedLayout;
  sequences.steps = static_cast<std::uint64_t>(steps);
  sequences.batch = static_cast<std::uint64_t>(batch);
  sequences.total_steps = sequences.is_packed ? std::accumulate(lengths, lengths + batch, std::uint64_t{0})
                                              : sequences.steps * sequences.batch;
  return 0;
}

MEMVIZ_EXPORT int cudnnCreateDropoutDescriptor(Handle* out) {
  *out = new DropoutDescriptor;
  return 0;
}
MEMVIZ_EXPORT int cudnnDestroyDropoutDescriptor(Handle dropout) {
  delete static_cast<DropoutDescriptor*>(dropout);
  return 0;
}
MEMVIZ_EXPORT int cudnnSetDropoutDescriptor(Handle dropout, Handle, float probability, void*, std::size_t,
                                            unsigned long long) {
  static_cast<DropoutDescriptor*>(dropout)->probability = probability;
  return 0;
}
MEMVIZ_EXPORT int cudnnRestoreDropoutDescriptor(Handle dropout, Handle library, float probability, void* states,
                                                std::size_t bytes, unsigned long long seed) {
  return cudnnSetDropoutDescriptor(dropout, library, probability, states, bytes, seed);
}
MEMVIZ_EXPORT int cudnnDropoutGetStatesSize(Handle, std::size_t* bytes) {
  *bytes = static_cast<std::uint64_t>(Locked()->settings.profile.multiprocessors) * kDropoutStatesBytes;
  return 0;
}

MEMVIZ_EXPORT int cudnnGetRNNWeightSpaceSize(Handle, Handle handle, std::size_t* bytes) {
  const auto& network = *static_cast<Network*>(handle);
  *bytes = bias_offset(network, network.pseudo_layers(), 0) * element_bytes(network.type);
  return 0;
}

MEMVIZ_EXPORT int cudnnGetRNNWeightParams(Handle, Handle handle, std::int32_t pseudo_layer, std::size_t, char* weights,
                                          std::int32_t matrix, Handle matrix_descriptor, char** matrix_address,
                                          Handle bias_descriptor, char** bias_address) {
  const auto& network = *static_cast<Network*>(handle);
  const auto layer = static_cast<std::size_t>(pseudo_layer);
  if (pseudo_layer < 0 || layer >= network.pseudo_layers() || matrix < 0) return kInvalidValue;
  const std::size_t bytes = element_bytes(network.type);
  const bool is_there = matrix < network.matrices();
  if (matrix_address) *matrix_address = is_there ? weights + matrix_offset(network, layer, matrix) * bytes : nullptr;
  if (is_there && matrix_descriptor)
    describe(matrix_descriptor, network.type, network.rows(matrix), network.columns(layer, matrix));
  const bool has_bias = is_there && network.has_bias(matrix);
  if (bias_address) *bias_address = has_bias ? weights + bias_offset(network, layer, matrix) * bytes : nullptr;
  if (has_bias && bias_descriptor) describe(bias_descriptor, network.type, network.hidden, 1);
  return 0;
}

MEMVIZ_EXPORT int cudnnGetRNNTempSpaceSizes(Handle, Handle network, int mode, Handle sequences,
                                            std::size_t* workspace_bytes, std::size_t* reserve_bytes) {
  const RnnShape shape = shape_of(*static_cast<Network*>(network), *static_cast<SequencesDescriptor*>(sequences));
  const bool is_training = mode == kTraining;
  if (workspace_bytes) *workspace_bytes = rnn_workspace_bytes(shape, is_training);
  if (reserve_bytes) *reserve_bytes = is_training ? rnn_reserve_bytes(shape) : 0;
  return 0;
}
