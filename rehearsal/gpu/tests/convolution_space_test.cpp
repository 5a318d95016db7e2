#include "convolution_space.hpp"

#include <doctest/doctest.h>

using namespace memviz::rehearsal;

namespace {

constexpr std::uint64_t kHeaderBytes = 16;

ConvolutionTensor images(std::int64_t count, std::int64_t channels, std::int64_t size, bool has_channels_last) {
  ConvolutionTensor tensor{{count, channels, size, size}, {channels * size * size, size * size, size, 1}};
  if (has_channels_last) tensor.strides = {channels * size * size, 1, channels * size, channels};
  return tensor;
}

// Returns a convolution of 8 images of 56 x 56 with as many output channels as input channels.
Convolution convolution_of(std::int64_t channels, std::int64_t kernel, std::uint64_t element_bytes,
                           bool has_channels_last = false) {
  return {ConvolutionPass::forward,
          images(8, channels, 56, has_channels_last),
          images(channels, channels, kernel, has_channels_last),
          images(8, channels, 56, has_channels_last),
          element_bytes,
          false};
}

} // namespace

TEST_CASE("a convolution with the channels first converts its tensors") {
  Convolution convolution = convolution_of(256, 3, 2);
  const std::uint64_t images_bytes = 8 * 256 * 56 * 56 * 2;
  const std::uint64_t weight_bytes = 256 * 256 * 9 * 2;
  CHECK(convolution_workspace_bytes(convolution) == 2 * images_bytes + weight_bytes + kHeaderBytes);
  convolution.pass = ConvolutionPass::weight_gradient;
  CHECK(convolution_workspace_bytes(convolution) == 2 * images_bytes + weight_bytes + kHeaderBytes);
  convolution.element_bytes = 8;
  CHECK(convolution_workspace_bytes(convolution) == 0);
}

TEST_CASE("a convolution with the channels last, with groups, or that is a product converts nothing") {
  CHECK(convolution_workspace_bytes(convolution_of(256, 3, 2, true)) == 0);
  CHECK(convolution_workspace_bytes(convolution_of(256, 1, 2)) == 0);
  Convolution convolution = convolution_of(256, 3, 4);
  convolution.weight.dimensions[1] = 1;
  CHECK(convolution_workspace_bytes(convolution) == 0);
}

TEST_CASE("a pointwise convolution with strides converts all but its weight") {
  Convolution convolution = convolution_of(256, 1, 2);
  convolution.output = images(8, 256, 28, false);
  convolution.has_strides = true;
  CHECK(convolution_workspace_bytes(convolution) == 8 * 256 * (56 * 56 + 28 * 28) * 2 + kHeaderBytes);
}

TEST_CASE("the three channels of pictures are padded to eight in the gradient of 16 bits") {
  Convolution convolution = convolution_of(3, 3, 2);
  CHECK(convolution_workspace_bytes(convolution) == 0);
  convolution.pass = ConvolutionPass::input_gradient;
  const std::uint64_t padded_bytes = 8 * 8 * 56 * 56 * 2 + 3 * 8 * 9 * 2;
  CHECK(convolution_workspace_bytes(convolution) == padded_bytes + 8 * 3 * 56 * 56 * 2 + kHeaderBytes);
}

TEST_CASE("a forward pass of few channels in fp32 writes its output directly") {
  const std::uint64_t images_bytes = 8 * 64 * 56 * 56 * 4;
  const std::uint64_t weight_bytes = 64 * 64 * 9 * 4;
  CHECK(convolution_workspace_bytes(convolution_of(64, 3, 4)) == images_bytes + weight_bytes + kHeaderBytes);
}
