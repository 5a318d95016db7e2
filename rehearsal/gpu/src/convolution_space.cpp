#include "convolution_space.hpp"

#include <functional>
#include <numeric>

namespace memviz::rehearsal {
namespace {

constexpr std::int64_t kVectorChannels = 8; // that tensor cores load at once
constexpr std::int64_t kFewChannels = 128;  // below which fp32 is not always worth a conversion
constexpr std::int64_t kSmallKernel = 9;    // positions
constexpr std::uint64_t kConversionHeaderBytes = 16;

bool is_complete(const ConvolutionTensor& tensor) {
  return tensor.dimensions.size() >= 3 && tensor.dimensions[1] > 0 && tensor.strides.size() == tensor.dimensions.size();
}

// Returns the tensor's bytes with its channels padded to a multiple of `multiple`.
std::uint64_t bytes_of(const ConvolutionTensor& tensor, std::uint64_t element_bytes, std::int64_t multiple = 1) {
  std::uint64_t bytes = element_bytes;
  for (std::size_t axis = 0; axis < tensor.dimensions.size(); ++axis) {
    const std::int64_t count = tensor.dimensions[axis];
    bytes *= static_cast<std::uint64_t>(axis == 1 ? (count + multiple - 1) / multiple * multiple : count);
  }
  return bytes;
}

// Returns the positions of the kernel.
std::int64_t kernel_size(const ConvolutionTensor& weight) {
  return std::accumulate(weight.dimensions.begin() + 2, weight.dimensions.end(), std::int64_t{1}, std::multiplies<>());
}

// The tensors that are converted, and the multiple to which their channels are padded.
struct Conversion {
  bool input = false, weight = false, output = false;
  std::int64_t multiple = 1;
};

// Returns the conversion if the channels of the input, such as those of a picture, are no multiple of what tensor cores
// load.
Conversion conversion_of_odd_channels(const Convolution& convolution, bool has_channels_last, bool is_plain_product) {
  const bool is_input_gradient = convolution.pass == ConvolutionPass::input_gradient;
  if (convolution.element_bytes == 2) {
    if (!is_input_gradient || (!has_channels_last && is_plain_product)) return {};
    return {true, true, !has_channels_last, kVectorChannels};
  }
  if (is_input_gradient || has_channels_last || kernel_size(convolution.weight) <= kSmallKernel) return {};
  return {true, true, true, 1};
}

Conversion conversion_of(const Convolution& convolution) {
  const std::int64_t channels = convolution.input.dimensions[1];
  const bool has_channels_last = convolution.input.strides[1] == 1 && channels > 1;
  const bool is_pointwise = kernel_size(convolution.weight) == 1;
  const bool is_plain_product = is_pointwise && !convolution.has_strides;
  if (channels % kVectorChannels != 0)
    return conversion_of_odd_channels(convolution, has_channels_last, is_plain_product);
  if (has_channels_last || is_plain_product) return {};
  const bool has_little_work = convolution.element_bytes == 4 && channels < kFewChannels;
  if (has_little_work && is_pointwise && convolution.pass != ConvolutionPass::weight_gradient) return {};
  const bool writes_directly = has_little_work && convolution.pass == ConvolutionPass::forward &&
                               kernel_size(convolution.weight) <= kSmallKernel;
  // The weight of a pointwise convolution is the same in both forms.
  return {true, !is_pointwise, !writes_directly, 1};
}

} // namespace

std::uint64_t convolution_workspace_bytes(const Convolution& convolution) {
  const auto& [pass, input, weight, output, element_bytes, has_strides] = convolution;
  if (!is_complete(input) || !is_complete(weight) || !is_complete(output)) return 0;
  const bool has_groups = weight.dimensions[1] != input.dimensions[1];
  if (has_groups || (element_bytes != 2 && element_bytes != 4)) return 0;
  const Conversion conversion = conversion_of(convolution);
  const std::uint64_t bytes = (conversion.input ? bytes_of(input, element_bytes, conversion.multiple) : 0) +
                              (conversion.weight ? bytes_of(weight, element_bytes, conversion.multiple) : 0) +
                              (conversion.output ? bytes_of(output, element_bytes) : 0);
  return bytes == 0 ? 0 : bytes + kConversionHeaderBytes;
}

} // namespace memviz::rehearsal
