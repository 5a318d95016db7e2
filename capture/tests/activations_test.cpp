#include "program/formula.hpp"
#include "program/model.hpp"
#include "program/options.hpp"

#include "memviz/capture/saved_tensors.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

using memviz::capture::SavedTensors;
using namespace memviz::capture::program;

namespace {

Activation activation_of(std::string_view text) {
  return parse_activations(text).front();
}

std::uint64_t saved_by(Layer& layer, const LayerShape& shape, at::ScalarType dtype) {
  layer.to(dtype);
  const at::Tensor input = at::randn({shape.batch, shape.sequence, shape.model}, dtype).requires_grad_(true);
  const SavedTensors saved(layer.parameters());
  const at::Tensor output = layer.forward(input);
  return saved.bytes();
}

template <class LayerType>
std::int64_t measured(const LayerShape& shape, const Activation& activation, double dropout = 0) {
  LayerType layer({shape.model, shape.heads, dropout, activation});
  const at::ScalarType dtype = shape.element_bytes == 4 ? at::kFloat : at::kBFloat16;
  return static_cast<std::int64_t>(saved_by(layer, shape, dtype));
}

constexpr LayerShape kSmall = {2, 48, 32, 4, 2, false, false};

} // namespace

TEST_CASE("activation memory in bfloat16 at batch 2, sequence 4096, width 1024") {
  const LayerShape shape;

  SUBCASE("is what the article measured for the MLP on a GPU") {
    const std::int64_t relu = measured<Mlp>(shape, activation_of("relu"));
    const std::int64_t gelu = measured<Mlp>(shape, activation_of("gelu"));
    CHECK(relu == 83886080);
    CHECK(gelu == 150994944);
    CHECK(static_cast<double>(relu) / static_cast<double>(gelu) == doctest::Approx(0.5555555555555556));
  }
  SUBCASE("is by the formula what the article measured") {
    LayerShape on_gpu = shape;
    on_gpu.is_cuda = true;
    CHECK(mlp_bytes(on_gpu, false) == 83886080);
    CHECK(mlp_bytes(on_gpu, true) == 150994944);
    CHECK(block_bytes(on_gpu, false) == 201523216);
    CHECK(block_bytes(on_gpu, true) == 268632080);
  }
}

TEST_CASE("the formula is what autograd saves on the CPU") {
  at::manual_seed(0);
  LayerShape shape = kSmall;
  for (const std::int64_t element_bytes : {2, 4}) {
    shape.element_bytes = element_bytes;
    for (const ActivationFunction& function : activation_functions()) {
      for (const bool in_place : {false, true}) {
        const Activation activation{&function, in_place};
        CAPTURE(activation.name());
        CAPTURE(element_bytes);
        CHECK(measured<Mlp>(shape, activation) == mlp_bytes(shape, activation.saves_input()));
        CHECK(measured<Block>(shape, activation) == block_bytes(shape, activation.saves_input()));
      }
    }
  }
}

TEST_CASE("leaky_relu saves its input, but not in place") {
  const std::int64_t elements = 2 * 48 * 32;
  CHECK(measured<Mlp>(kSmall, activation_of("leaky_relu")) == 9 * elements * 2);
  CHECK(measured<Mlp>(kSmall, activation_of("leaky_relu,inplace")) == 5 * elements * 2);
}

TEST_CASE("the mask of dropout") {
  LayerShape shape = kSmall;
  shape.has_dropout = true;
  const std::int64_t elements = 2 * 48 * 32;

  SUBCASE("has the type of the input on the CPU") {
    for (const std::int64_t element_bytes : {2, 4}) {
      shape.element_bytes = element_bytes;
      const std::int64_t saved = measured<Mlp>(shape, activation_of("relu"), 0.5);
      CHECK(saved == mlp_bytes(shape, false));
      CHECK(saved == 5 * elements * element_bytes + elements * element_bytes);
      CHECK(measured<Block>(shape, activation_of("relu"), 0.5) == block_bytes(shape, false));
    }
  }
  SUBCASE("has one byte an element on a GPU, by the formula") {
    shape.is_cuda = true;
    CHECK(mlp_bytes(shape, true) == 18 * elements + elements);
  }
}

TEST_CASE("gradients of a block are those without a SavedTensors scope") {
  at::manual_seed(0);
  Block block({32, 4, 0, activation_of("leaky_relu,inplace")});
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

TEST_CASE("parse_activations") {
  const std::vector<Activation> activations = parse_activations("relu,leaky_relu,inplace,tanh");
  REQUIRE(activations.size() == 3);
  CHECK(activations[0].name() == "relu");
  CHECK(activations[1].name() == "leaky_relu in place");
  CHECK(activations[2].name() == "tanh");
  CHECK_THROWS_WITH_AS(parse_activations("gelo"), doctest::Contains("did you mean 'gelu'?"), UsageError);
  CHECK_THROWS_WITH_AS(parse_activations("inplace"), doctest::Contains("after an activation"), UsageError);
  CHECK_THROWS_AS(parse_activations(""), UsageError);
  CHECK_THROWS_AS(parse_activations("relu,"), UsageError);
}
