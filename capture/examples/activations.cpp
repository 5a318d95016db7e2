// Measures the bytes that activation functions keep for the backward pass. Usage: memviz_example_activations [cpu|cuda]

#include "layers.hpp"

#include <memviz/capture/allocated_memory.hpp>
#include <memviz/capture/saved_tensors.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace memviz::capture;

/// Prints the bytes that autograd keeps after the forward pass of a layer, and those that the allocator counts.
template <class Layer>
void measure(const char* layer_name, const char* name, const examples::Activation& activation, c10::Device device) {
  examples::LayerOptions options;
  options.activation = activation;
  Layer layer(options);
  layer.to(device, at::kBFloat16);
  const at::Tensor input = at::randn({2, 4096, 1024}, at::device(device).dtype(at::kBFloat16)).requires_grad_(true);

  const AllocatedMemory memory(device);
  const SavedTensors saved(layer.parameters());
  const at::Tensor output = layer.forward(input);
  std::printf("%-6s %-11s %12llu bytes saved %12lld allocated\n", layer_name, name,
              static_cast<unsigned long long>(saved.bytes()), static_cast<long long>(memory.delta().current));
}

} // namespace

int main(int argument_count, char** arguments) {
  const c10::Device device(argument_count > 1 ? std::string(arguments[1]) : "cpu");
  const std::vector<std::pair<const char*, examples::Activation>> activations = {
      {"relu", [](const at::Tensor& x) { return at::relu(x); }},
      {"gelu", [](const at::Tensor& x) { return at::gelu(x); }},
      {"silu", [](const at::Tensor& x) { return at::silu(x); }},
      {"tanh", [](const at::Tensor& x) { return at::tanh(x); }},
      {"leaky_relu", [](const at::Tensor& x) { return at::leaky_relu(x); }}};
  for (const auto& [name, activation] : activations) {
    measure<examples::Mlp>("MLP", name, activation, device);
    measure<examples::Block>("block", name, activation, device);
  }
}
