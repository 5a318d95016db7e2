#include "story/first_step_words.hpp"

#include "base/printable.hpp"
#include "memviz/explain_words.hpp"
#include "memviz/format.hpp"
#include "story/explain_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

std::string state_to_come(const FirstStep& step) {
  const std::string values = step.values_per_parameter == 1 ? "one value" : "two values";
  const std::string source = step.optimizer.empty()
                                 ? fmt::format("{} for each parameter as Adam keeps; no optimizer has run yet", values)
                                 : fmt::format("{} for each parameter in {}", values, elided(step.optimizer, 40));
  return fmt::format("{} of optimizer state ({})", format_bytes(step.state_to_come_bytes), source);
}

std::string_view what_of(Lever lever) {
  switch (lever) {
  case Lever::checkpointing: return "Checkpointing each layer";
  case Lever::smaller_batch: return "Half the batch";
  case Lever::smaller_state: return "A smaller optimizer state";
  case Lever::settings: break;
  }
  return "";
}

} // namespace

std::string_view lever_name(Lever lever) {
  switch (lever) {
  case Lever::checkpointing: return "checkpointing";
  case Lever::smaller_batch: return "smaller batch";
  case Lever::smaller_state: return "smaller optimizer state";
  case Lever::settings: return "settings";
  }
  return "";
}

std::string first_step_text(const FirstStep& step) {
  std::vector<std::string> to_come;
  if (step.gradients_to_come_bytes > 0)
    to_come.push_back(fmt::format("{} of gradients, if all {} of parameters are trained",
                                  format_bytes(step.gradients_to_come_bytes), format_bytes(step.parameter_bytes)));
  if (step.state_to_come_bytes > 0) to_come.push_back(state_to_come(step));
  const std::string_view start =
      step.shows_training
          ? "This looks like the first training step. It"
          : "This looks like the first forward pass: no backward pass and no optimizer has run. If it is "
            "part of training, the step";
  std::string text = fmt::format("{} still needs at least {}. Parameters, gradients and "
                                 "optimizer state together take at least {}; PyTorch can have {}.",
                                 start, fmt::join(to_come, ", and "), format_bytes(step.needed_bytes),
                                 format_bytes(step.available_bytes));
  if (step.missing_bytes > 0)
    text += fmt::format(" For the whole step at least {} is missing.", format_bytes(step.missing_bytes));
  return text;
}

std::string lever_text(const LeverGain& gain) {
  const std::string bytes = format_bytes(gain.bytes);
  switch (gain.lever) {
  case Lever::checkpointing:
    return fmt::format("Checkpoint each layer (torch.utils.checkpoint): frees about {} of what this pass keeps so far.",
                       bytes);
  case Lever::smaller_batch:
    return fmt::format(
        "Halve the batch or the length of sequences: frees about {}, half of what this pass keeps so far.", bytes);
  case Lever::smaller_state:
    return fmt::format(
        "Make the optimizer's state smaller (freeze what is not to be trained by requires_grad_(False), 8 "
        "bits, sharded by ZeRO or FSDP, another optimizer): gives up to {}; without that, no batch is "
        "small enough.",
        bytes);
  case Lever::settings: break;
  }
  return "";
}

bool is_enough(const DeviceExplanation& device, const LeverGain& gain) {
  return gain.bytes >= device.first_step->missing_bytes;
}

std::vector<std::string> short_levers_text(const DeviceExplanation& device) {
  std::vector<std::string> sentences;
  const std::string missing = format_bytes(device.first_step->missing_bytes);
  for (const LeverGain& gain : device.first_step->levers) {
    if (is_enough(device, gain) || gain.lever == Lever::settings) continue;
    sentences.push_back(fmt::format("{} frees about {}, and the step lacks at least {}.", what_of(gain.lever),
                                    format_bytes(gain.bytes), missing));
  }
  return sentences;
}

std::string rehearse_text(const DeviceExplanation& device) {
  const auto& capacity = device.ledger.capacity_bytes;
  const std::string gpu = capacity ? fmt::format("--memory {}MiB", *capacity >> 20U) : "--gpu PROFILE";
  return fmt::format("Test a change before the next run, on a machine without a GPU: memviz rehearse {} --steps 2 -- "
                     "COMMAND. With --search 'BATCH=1..256' it finds the largest batch for whole steps, with "
                     "--compare-with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True it tries a setting.",
                     gpu);
}

} // namespace memviz
