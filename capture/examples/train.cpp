// Trains a small transformer on the GPU and records it. Usage: memviz_example_train SNAPSHOT [PART [KINDS]]
//
// PART, of the last step, is where the recording ends: forward, backward, optimizer or step (the default), which is
// after zero_grad(). KINDS is a file for the kind of each storage that PyTorch's own objects know, by address:
// {"140098": ["parameter", 16384], ...}.

#include "layers.hpp"

#include <memviz/capture/recorder.hpp>
#include <memviz/capture/saved_tensors.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adamw.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using namespace memviz::capture;

constexpr std::int64_t kBatch = 4;
constexpr int kSteps = 3;

/// The kinds of storages, by address; the first one given for a storage stays.
class Kinds {
public:
  void add(const char* kind, const at::Tensor& tensor) {
    if (tensor.defined() && tensor.is_cuda()) add(kind, tensor.storage().data(), tensor.storage().nbytes());
  }
  void add(const char* kind, const void* data, std::uint64_t bytes) {
    if (bytes > 0) storages_.try_emplace(reinterpret_cast<std::uintptr_t>(data), kind, bytes);
  }

  void write(const std::string& path) const {
    std::ofstream file(path);
    const char* separator = "{";
    for (const auto& [address, storage] : storages_) {
      file << separator << '"' << address << "\": [\"" << storage.first << "\", " << storage.second << ']';
      separator = ",\n ";
    }
    file << "}\n";
    if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
  }

private:
  std::map<std::uintptr_t, std::pair<const char*, std::uint64_t>> storages_;
};

/// A training run that writes a snapshot at the end of a part of its last step.
class Training {
public:
  Training(std::string snapshot, std::string part, std::string kinds)
      : snapshot_(std::move(snapshot)), part_(std::move(part)), kinds_(std::move(kinds)) {
    recorder_.start();
    model_.to(at::kCUDA);
    text_ = at::randint(shape().vocabulary, {kBatch, shape().sequence + 1}, at::kLong).to(at::kCUDA);
  }

  void run() {
    for (int step = 0; step < kSteps; ++step)
      train(step + 1 == kSteps);
  }

private:
  static examples::LanguageModelOptions shape() {
    examples::LanguageModelOptions options;
    options.layer.model = 64;
    options.layer.heads = 4;
    options.sequence = 32;
    return options;
  }

  void train(bool is_last) {
    const SavedTensors saved;
    const auto at_end = [&](const char* part) {
      if (is_last && part_ == part) dump(saved);
    };
    at::Tensor loss;
    {
      const Annotation annotation("forward");
      const at::Tensor scores = model_.forward(text_.slice(1, 0, -1));
      loss = torch::nn::functional::cross_entropy(scores.flatten(0, 1), text_.slice(1, 1).flatten());
    }
    at_end("forward");
    {
      const Annotation annotation("backward");
      loss.backward();
    }
    at_end("backward");
    {
      const Annotation annotation("optimizer");
      optimizer_.step();
    }
    at_end("optimizer");
    optimizer_.zero_grad();
    at_end("step");
  }

  void dump(const SavedTensors& saved) {
    recorder_.dump(snapshot_);
    if (kinds_.empty()) return;
    Kinds kinds;
    kinds.add("input", text_);
    for (const at::Tensor& parameter : model_.parameters()) {
      kinds.add("parameter", parameter);
      kinds.add("gradient", parameter.grad());
    }
    for (const auto& [parameter, state] : optimizer_.state()) {
      const auto& averages = static_cast<const torch::optim::AdamWParamState&>(*state);
      kinds.add("optimizer_state", averages.exp_avg());
      kinds.add("optimizer_state", averages.exp_avg_sq());
    }
    for (const SavedStorage& storage : saved.kept())
      kinds.add("activation", storage.data, storage.bytes);
    kinds.write(kinds_);
  }

  std::string snapshot_;
  std::string part_;
  std::string kinds_;
  Recorder recorder_;
  examples::LanguageModel model_{shape()};
  torch::optim::AdamW optimizer_{model_.parameters(), torch::optim::AdamWOptions(1e-3)};
  at::Tensor text_;
};

} // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    std::fputs("usage: memviz_example_train SNAPSHOT [forward|backward|optimizer|step [KINDS]]\n", stderr);
    return 2;
  }
  try {
    Training(arguments[1], argument_count > 2 ? arguments[2] : "step", argument_count > 3 ? arguments[3] : "").run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memviz_example_train: %s\n", error.what());
    return 1;
  }
}
