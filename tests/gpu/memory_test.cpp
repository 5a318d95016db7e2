// The numbers of the article on activation memory (see capture/README.md), on the allocator that it measured.
#include "support.hpp"

#include "layers.hpp"
#include "memviz/capture/allocated_memory.hpp"
#include "memviz/capture/saved_tensors.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <optional>

using memviz::capture::AllocatedMemory;
using memviz::capture::MemoryReading;
using memviz::capture::SavedTensors;
namespace examples = memviz::capture::examples;

namespace {

const at::TensorOptions kBfloat16 = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);

at::Tensor apply_relu(const at::Tensor& x) {
  return at::relu(x);
}
at::Tensor apply_gelu(const at::Tensor& x) {
  return at::gelu(x);
}

struct Measured {
  std::int64_t saved_bytes = 0;
  std::int64_t current_bytes = 0;
};

template <class Layer> Measured measure(examples::Activation activation) {
  examples::LayerOptions options;
  options.activation = std::move(activation);
  Layer layer(options);
  layer.to(at::kCUDA, at::kBFloat16);
  const at::Tensor input = at::randn({2, 4096, 1024}, kBfloat16).requires_grad_(true);
  const AllocatedMemory memory(at::Device(at::kCUDA, 0));
  const SavedTensors saved(layer.parameters());
  const at::Tensor output = layer.forward(input);
  return {static_cast<std::int64_t>(saved.bytes()), memory.delta().current};
}

} // namespace

TEST_CASE("gpu memory: three tensors of 1 KiB, two of them freed") {
  const AllocatedMemory memory(at::Device(at::kCUDA, 0));
  const at::TensorOptions options = at::TensorOptions().device(at::kCUDA);
  const at::Tensor first = at::randn({256}, options);
  std::optional<at::Tensor> second = at::randn({256}, options);
  second.reset();
  std::optional<at::Tensor> third = at::randn({256}, options);
  third.reset();
  const MemoryReading delta = memory.delta();
  CHECK(delta.allocated == 3072);
  CHECK(delta.current == 1024);
  CHECK(delta.freed == 2048);
  CHECK(delta.peak == 2048);
}

TEST_CASE("gpu memory: what an MLP saves is what it holds") {
  const Measured relu = measure<examples::Mlp>(apply_relu);
  const Measured gelu = measure<examples::Mlp>(apply_gelu);
  CHECK(relu.saved_bytes == 83'886'080);
  CHECK(relu.current_bytes == relu.saved_bytes);
  CHECK(gelu.saved_bytes == 150'994'944);
  CHECK(gelu.current_bytes == gelu.saved_bytes);
}

TEST_CASE("gpu memory: what a transformer block saves") {
  const Measured relu = measure<examples::Block>(apply_relu);
  const Measured gelu = measure<examples::Block>(apply_gelu);
  memviz::gpu::report("block_relu_saved", static_cast<double>(relu.saved_bytes), "bytes");
  memviz::gpu::report("block_relu_current", static_cast<double>(relu.current_bytes), "bytes");
  memviz::gpu::report("block_gelu_saved", static_cast<double>(gelu.saved_bytes), "bytes");
  memviz::gpu::report("block_gelu_current", static_cast<double>(gelu.current_bytes), "bytes");
  CHECK(relu.saved_bytes == 201'523'216);
  CHECK(gelu.saved_bytes == 268'632'080);
}
