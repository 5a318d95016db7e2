// The form of a convolution -> the bytes of the workspace in which cuDNN converts its tensors. On tensor cores cuDNN
// computes with the channels last; tensors of another form are copied. The rules were derived from calls on an NVIDIA
// H100 (cuDNN 9.19, 2026-11-26): docs/rehearse.md says how often they are right. The gradient of a weight may need
// more, for partial sums, which is unknown.
#pragma once

#include <cstdint>
#include <vector>

namespace memviz::rehearsal {

enum class ConvolutionPass { forward, input_gradient, weight_gradient };

// Batch, channels and positions, as cuDNN lists them in every layout.
struct ConvolutionTensor {
  std::vector<std::int64_t> dimensions, strides;
};

struct Convolution {
  ConvolutionPass pass = ConvolutionPass::forward;
  ConvolutionTensor input, weight, output;
  std::uint64_t element_bytes = 0; // 2 or 4; other types were not measured
  bool has_strides = false;        // steps of more than one position
};

[[nodiscard]] std::uint64_t convolution_workspace_bytes(const Convolution& convolution);

} // namespace memviz::rehearsal
