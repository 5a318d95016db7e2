// A small training run, which run.sh runs alone, without and with the inject library.
#include "support.hpp"

#include "layers.hpp"

#include <ATen/ATen.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <doctest/doctest.h>
#include <torch/optim/adamw.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace examples = memviz::capture::examples;

namespace {

/// Calls `at_end` while the model exists.
template <class Action> void train(const Action& at_end) {
  examples::Mlp model({});
  model.to(at::kCUDA, at::kFloat);
  torch::optim::AdamW optimizer(model.parameters());
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    model.forward(at::ones({2, 512, 1024}, at::TensorOptions().device(at::kCUDA))).square().mean().backward();
    optimizer.step();
  }
  at_end();
}

} // namespace

TEST_CASE("gpu training: what the allocator reserved") {
  train([] {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
    memviz::gpu::report("training.reserved", static_cast<double>(stats.reserved_bytes[0].current), "bytes");
    if (std::getenv("MEMVIZ_SIGNAL") == nullptr) return; // only ever set together with the library that handles it
    std::raise(SIGUSR2);
    std::this_thread::sleep_for(std::chrono::seconds(2));
  });
}
