#include "commands.hpp"

#include "model.hpp"
#include "options.hpp"
#include "run_recording.hpp"
#include "true_kinds.hpp"

#include "memviz/capture/saved_tensors.hpp"

#include <ATen/ATen.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adamw.h>

#include <functional>
#include <iostream>
#include <optional>

namespace memviz::capture::program {
namespace {

struct TrainSettings {
  LanguageModelOptions model{{64, 4, 0, {}}, 2, 256, 32};
  std::int64_t batch = 4;
  std::int64_t steps = 3;
  std::string activation = "gelu";
  std::string device = "cpu";
  std::string until = "step";
  std::string output;
  std::string kinds;
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
      choice_option("--until", settings.until, {"forward", "backward", "optimizer", "step"},
                    "part of the last step that the recording ends after; step: zero_grad(), too (step)"),
      text_option("-o", "FILE", settings.output, "the snapshot"),
      text_option("--kinds", "FILE", settings.kinds, "what PyTorch's objects say that its memory is, as JSON"),
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

/// Told the name of each part of a step at its end.
using AtEnd = std::function<void(std::string_view)>;

/// One step on the same batch, so that the loss falls. Returns the loss.
double train_step(LanguageModel& model, torch::optim::Optimizer& optimizer, const at::Tensor& text,
                  const AtEnd& at_end) {
  at::Tensor loss;
  {
    const Annotation annotation("forward");
    const at::Tensor scores = model.forward(text.slice(1, 0, -1));
    loss = torch::nn::functional::cross_entropy(scores.flatten(0, 1), text.slice(1, 1).flatten());
  }
  at_end("forward");
  {
    const Annotation annotation("backward");
    loss.backward();
  }
  at_end("backward");
  {
    const Annotation annotation("optimizer");
    optimizer.step();
  }
  at_end("optimizer");
  optimizer.zero_grad();
  at_end("step");
  return loss.item<double>();
}

TrueKinds kinds_of(const LanguageModel& model, const torch::optim::AdamW& optimizer, const at::Tensor& text,
                   const SavedTensors& saved) {
  TrueKinds kinds(text.device());
  kinds.add("input", text);
  for (const at::Tensor& parameter : model.parameters()) {
    kinds.add("parameter", parameter);
    kinds.add("gradient", parameter.grad());
  }
  for (const auto& [parameter, state] : optimizer.state()) {
    const auto& averages = static_cast<const torch::optim::AdamWParamState&>(*state);
    kinds.add("optimizer_state", averages.exp_avg());
    kinds.add("optimizer_state", averages.exp_avg_sq());
  }
  for (const SavedStorage& storage : saved.kept())
    kinds.add("activation", storage.data, storage.bytes);
  return kinds;
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
  const at::Tensor text =
      at::randint(settings.model.vocabulary, {settings.batch, settings.model.sequence + 1}, at::kLong).to(device);
  for (std::int64_t step = 1; step <= settings.steps; ++step) {
    std::optional<SavedTensors> saved;
    if (!settings.kinds.empty()) saved.emplace();
    const auto at_end = [&](std::string_view part) {
      if (step < settings.steps || part != settings.until) return;
      if (saved) kinds_of(model, optimizer, text, *saved).write(settings.kinds);
      recording.finish();
    };
    const double loss = train_step(model, optimizer, text, at_end);
    std::cout << "step " << step << ": loss " << loss << std::endl;
  }
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
