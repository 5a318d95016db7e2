#include "layers.hpp"

#include "memviz/capture/saved_tensors.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace memviz::capture;
using namespace memviz::capture::examples;

namespace {

std::uint64_t saved_by_mlp(Activation activation) {
  LayerOptions options;
  options.activation = std::move(activation);
  Mlp layer(options);
  layer.to(at::kBFloat16);
  const at::Tensor input = at::randn({2, 4096, 1024}, at::kBFloat16).requires_grad_(true);
  const SavedTensors saved(layer.parameters());
  const at::Tensor output = layer.forward(input);
  return saved.bytes();
}

} // namespace

TEST_CASE("activation memory of an MLP at batch 2, sequence 4096, width 1024 is what an article measured on a GPU") {
  CHECK(saved_by_mlp([](const at::Tensor& x) { return at::relu(x); }) == 83'886'080);
  CHECK(saved_by_mlp([](const at::Tensor& x) { return at::gelu(x); }) == 150'994'944);
}

TEST_CASE("gradients of a block are those without a SavedTensors scope") {
  at::manual_seed(0);
  Block block({32, 4, [](const at::Tensor& x) { return at::leaky_relu(x); }});
  const at::Tensor input = at::randn({2, 8, 32});
  block.forward(input).square().sum().backward();
  std::vector<at::Tensor> plain;
  for (const at::Tensor& parameter : block.parameters())
    plain.push_back(parameter.grad().clone());
  block.zero_grad();
  {
    const SavedTensors saved(block.parameters());
    block.forward(input).square().sum().backward();
  }
  for (std::size_t i = 0; i < plain.size(); ++i)
    CHECK(at::equal(block.parameters()[i].grad(), plain[i]));
}
