// A small training run, under different recorders: each test is run by itself, run.sh says under which.
#include "support.hpp"

#include "activation_functions.hpp"
#include "memviz/capture/recorder.hpp"
#include "model.hpp"

#include <ATen/ATen.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <doctest/doctest.h>
#include <torch/csrc/cuda/memory_snapshot.h>
#include <torch/optim/adamw.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace program = memviz::capture::program;

namespace {

/// Calls `at_end` while the model lives.
template <class Action> void train(const Action& at_end) {
  program::LayerOptions options;
  options.activation = program::parse_activations("gelu").front();
  program::Mlp model(options);
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

TEST_CASE("gpu recorders: a training run") {
  const char* const wanted = std::getenv("MEMVIZ_GPU_RECORDER");
  if (wanted == nullptr) {
    MESSAGE("skipped: MEMVIZ_GPU_RECORDER names no recorder");
    return;
  }
  const std::filesystem::path path = memviz::gpu::out_folder() / ("recorded_by_" + std::string(wanted) + ".pickle");
  if (std::string_view(wanted) == "pytorch") {
    torch::cuda::_record_memory_history(std::optional<std::string>("all"), std::nullopt, std::string("all"), 100'000);
    train([&] {
      const std::string bytes = torch::cuda::_memory_snapshot_pickled();
      std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    });
  } else {
    memviz::capture::RecorderOptions options;
    options.device = at::Device(at::kCUDA, 0);
    memviz::capture::Recorder recorder;
    recorder.start(options);
    train([&] { recorder.dump(path); });
  }
  CHECK(std::filesystem::file_size(path) > 1000);
}
