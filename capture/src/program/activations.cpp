#include "commands.hpp"

#include "formula.hpp"
#include "model.hpp"
#include "options.hpp"
#include "run_recording.hpp"

#include "memviz/capture/allocated_memory.hpp"
#include "memviz/capture/saved_tensors.hpp"

#include <ATen/ATen.h>

#include <charconv>
#include <iomanip>
#include <iostream>

namespace memviz::capture::program {
namespace {

struct Settings {
  std::vector<Activation> activations = parse_activations("relu,gelu");
  LayerShape shape;
  double dropout = 0;
  std::string layer = "mlp";
  std::string dtype = "bfloat16";
  std::string device = "cpu";
  std::string output;
};

struct Measurement {
  std::string name;
  std::int64_t saved_bytes = 0;
  std::int64_t formula_bytes = 0;
  std::int64_t allocated_bytes = 0; ///< by the forward pass, and not freed
  at::Tensor output;                ///< keeps what was saved alive, for the recording
};

constexpr std::string_view kIntroduction =
    "usage: memviz-capture activations [options]\n"
    "Runs the forward pass of a transformer's layer and tells how many bytes autograd keeps for the backward pass,\n"
    "beside what a formula predicts and what the allocator counted.\n\n";

double read_probability(std::string_view text) {
  double probability = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, probability);
  const bool is_in_range = probability >= 0 && probability < 1;
  if (error != std::errc{} || stop != end || !is_in_range) {
    throw UsageError("expected a number from 0 to below 1, found '" + std::string(text) + "'");
  }
  return probability;
}

std::vector<Option> options_of(Settings& settings) {
  constexpr std::int64_t kMax = 1 << 20;
  LayerShape& shape = settings.shape;
  const auto read_activations = [&](std::string_view text) { settings.activations = parse_activations(text); };
  const auto read_dropout = [&](std::string_view text) { settings.dropout = read_probability(text); };
  return {
      {"--act", "LIST", "of relu, gelu, tanh, leaky_relu, sigmoid, silu; inplace after one (relu,gelu)",
       read_activations},
      choice_option("--layer", settings.layer, {"mlp", "block"}, "mlp, or block: a whole transformer block (mlp)"),
      count_option("--batch", shape.batch, kMax, "sequences (2)"),
      count_option("--seq", shape.sequence, kMax, "tokens of a sequence (4096)"),
      count_option("--d-model", shape.model, kMax, "width of a token (1024)"),
      count_option("--heads", shape.heads, kMax, "attention heads of a block (2)"),
      {"--dropout", "P", "probability of dropout after the MLP (0)", read_dropout},
      choice_option("--dtype", settings.dtype, {"bfloat16", "float32"}, "bfloat16 or float32 (bfloat16)"),
      choice_option("--device", settings.device, {"cpu", "cuda"}, "cpu or cuda (cpu)"),
      text_option("-o", "FILE", settings.output, "record the run as a memory snapshot"),
  };
}

/// Throws UsageError for sizes that do not fit together.
void complete(Settings& settings) {
  LayerShape& shape = settings.shape;
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
  if (shape.batch * shape.sequence > kMaxElements / shape.model) {
    throw UsageError("batch * seq * d-model is above " + std::to_string(kMaxElements));
  }
  if (settings.layer == "block" && shape.model % shape.heads != 0) {
    throw UsageError("--heads: " + std::to_string(shape.heads) + " does not divide the d-model of " +
                     std::to_string(shape.model));
  }
  shape.element_bytes = settings.dtype == "float32" ? 4 : 2;
  shape.is_cuda = settings.device == "cuda";
  shape.has_dropout = settings.dropout > 0;
}

std::int64_t predict(const Settings& settings, bool saves_input) {
  return settings.layer == "mlp" ? mlp_bytes(settings.shape, saves_input) : block_bytes(settings.shape, saves_input);
}

std::shared_ptr<Layer> make_layer(const Settings& settings, const Activation& activation) {
  const LayerOptions options{settings.shape.model, settings.shape.heads, settings.dropout, activation};
  if (settings.layer == "mlp") return std::make_shared<Mlp>(options);
  return std::make_shared<Block>(options);
}

Measurement measure(const Settings& settings, const Activation& activation, c10::Device device) {
  const at::ScalarType dtype = settings.dtype == "float32" ? at::kFloat : at::kBFloat16;
  const Annotation annotation(activation.name());
  const std::shared_ptr<Layer> layer = make_layer(settings, activation);
  layer->to(device, dtype);
  const LayerShape& shape = settings.shape;
  const at::Tensor input = at::randn({shape.batch, shape.sequence, shape.model}, at::device(device).dtype(dtype));
  input.requires_grad_(true);

  const AllocatedMemory memory(device);
  const SavedTensors saved(layer->parameters());
  const at::Tensor output = layer->forward(input);
  return {activation.name(), static_cast<std::int64_t>(saved.bytes()), predict(settings, activation.saves_input()),
          memory.delta().current, output};
}

/// Measured where GELU was measured.
std::int64_t gelu_bytes(const Settings& settings, const std::vector<Measurement>& measurements) {
  for (const Measurement& measurement : measurements) {
    if (measurement.name == "gelu") return measurement.saved_bytes;
  }
  return predict(settings, true);
}

void print_table(const Settings& settings, const std::vector<Measurement>& measurements) {
  const LayerShape& shape = settings.shape;
  std::cout << (settings.layer == "mlp" ? "MLP" : "transformer block") << ", batch " << shape.batch << ", sequence "
            << shape.sequence << ", d-model " << shape.model;
  if (settings.layer == "block") std::cout << ", heads " << shape.heads;
  if (shape.has_dropout) std::cout << ", dropout " << settings.dropout;
  std::cout << ", " << settings.dtype << ", " << settings.device << "\n\n"
            << std::left << std::setw(20) << "activation" << std::right << std::setw(16) << "saved bytes"
            << std::setw(16) << "formula" << std::setw(12) << "difference" << std::setw(16) << "allocated"
            << std::setw(12) << "to gelu" << '\n';
  const auto gelu = static_cast<double>(gelu_bytes(settings, measurements));
  for (const Measurement& row : measurements) {
    std::cout << std::left << std::setw(20) << row.name << std::right << std::setw(16) << row.saved_bytes
              << std::setw(16) << row.formula_bytes << std::setw(12) << row.saved_bytes - row.formula_bytes
              << std::setw(16) << row.allocated_bytes << std::setw(12) << std::fixed << std::setprecision(4)
              << static_cast<double>(row.saved_bytes) / gelu << std::defaultfloat << '\n';
  }
}

} // namespace

void run_activations(std::span<const std::string_view> arguments) {
  Settings settings;
  const std::vector<Option> options = options_of(settings);
  if (!parse_options(arguments, options)) {
    std::cout << kIntroduction << help_of(options);
    return;
  }
  complete(settings);
  const c10::Device device = device_of(settings.device);
  at::manual_seed(0);
  RunRecording recording(settings.output, device);
  std::vector<Measurement> measurements;
  for (const Activation& activation : settings.activations) {
    measurements.push_back(measure(settings, activation, device));
  }
  print_table(settings, measurements);
  recording.finish();
}

} // namespace memviz::capture::program
