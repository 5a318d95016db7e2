#include "commands.hpp"

#include "model.hpp"
#include "options.hpp"
#include "run_recording.hpp"

#include <ATen/ATen.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adamw.h>

#include <iostream>

namespace memviz::capture::program {
namespace {

struct TrainSettings {
  LanguageModelOptions model{{64, 4, 0, {}}, 2, 256, 32};
  std::int64_t batch = 4;
  std::int64_t steps = 3;
  std::string activation = "gelu";
  std::string device = "cpu";
  std::string output;
};

constexpr std::string_view kTrainIntroduction =
    "usage: memviz-capture train [options] -o FILE\n"
    "Trains a small transformer on random tokens and records its memory as a snapshot. Its annotations mark the\n"
    "forward, backward and optimizer part of every step.\n\n";

std::vector<Option> options_of(TrainSettings& settings) {
  constexpr std::int64_t kMax = 1 << 20;
  return {
      count_option("--layers", settings.model.layers, 1024, "transformer blocks (2)"),
      count_option("--d-model", settings.model.layer.model, kMax, "width of a token (64)"),
      count_option("--heads", settings.model.layer.heads, kMax, "attention heads of a block (4)"),
      count_option("--seq", settings.model.sequence, kMax, "tokens of a sequence (32)"),
      count_option("--batch", settings.batch, kMax, "sequences (4)"),
      count_option("--steps", settings.steps, kMax, "training steps (3)"),
      count_option("--vocab", settings.model.vocabulary, kMax, "different tokens (256)"),
      choice_option("--act", settings.activation, activation_names(), "activation function (gelu)"),
      choice_option("--device", settings.device, {"cpu", "cuda"}, "cpu or cuda (cpu)"),
      text_option("-o", "FILE", settings.output, "the snapshot"),
  };
}

void complete(TrainSettings& settings) {
  if (settings.output.empty()) throw UsageError("-o FILE is missing: where the snapshot goes");
  LayerOptions& layer = settings.model.layer;
  if (layer.model % layer.heads != 0) {
    throw UsageError("--heads: " + std::to_string(layer.heads) + " does not divide the d-model of " +
                     std::to_string(layer.model));
  }
  layer.activation = parse_activations(settings.activation).front();
}

/// One step on the same batch, so that the loss falls. Returns the loss.
double train_step(LanguageModel& model, torch::optim::Optimizer& optimizer, const at::Tensor& text) {
  at::Tensor loss;
  {
    const Annotation annotation("forward");
    const at::Tensor scores = model.forward(text.slice(1, 0, -1));
    loss = torch::nn::functional::cross_entropy(scores.flatten(0, 1), text.slice(1, 1).flatten());
  }
  {
    const Annotation annotation("backward");
    loss.backward();
  }
  const Annotation annotation("optimizer");
  optimizer.step();
  optimizer.zero_grad();
  return loss.item<double>();
}

/// Finishes the recording while the weights and the optimizer's state are still there.
void train(const TrainSettings& settings, c10::Device device, RunRecording& recording) {
  LanguageModel model(settings.model);
  model.to(device);
  std::int64_t parameters = 0;
  for (const at::Tensor& parameter : model.parameters())
    parameters += parameter.numel();
  std::cout << "transformer of " << settings.model.layers << " blocks, " << parameters << " parameters, float32, "
            << settings.device << '\n';
  torch::optim::AdamW optimizer(model.parameters(), torch::optim::AdamWOptions(1e-3));
  const at::Tensor text = at::randint(settings.model.vocabulary, {settings.batch, settings.model.sequence + 1},
                                      at::device(device).dtype(at::kLong));
  for (std::int64_t step = 1; step <= settings.steps; ++step) {
    std::cout << "step " << step << ": loss " << train_step(model, optimizer, text) << std::endl;
  }
  recording.finish();
}

} // namespace

void run_train(std::span<const std::string_view> arguments) {
  TrainSettings settings;
  const std::vector<Option> options = options_of(settings);
  if (!parse_options(arguments, options)) {
    std::cout << kTrainIntroduction << help_of(options);
    return;
  }
  complete(settings);
  const c10::Device device = device_of(settings.device);
  at::manual_seed(0);
  RunRecording recording(settings.output, device);
  train(settings, device, recording);
}

} // namespace memviz::capture::program
