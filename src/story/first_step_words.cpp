#include "story/first_step_words.hpp"

#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "story/explain_words.hpp"

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

/// "halve it", "reduce it to a quarter", for the {batch} that is divided.
std::string divided(std::string_view batch, std::uint64_t divisor) {
  if (divisor == 2) return fmt::format("halve {}", batch);
  return fmt::format("reduce {} to {}", batch, divisor == 4 ? "a quarter" : "an eighth");
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
    return fmt::format("{}: frees about {} of what this pass keeps so far.",
                       capitalized(divided("the batch or the length of sequences", gain.divisor)), bytes);
  case Lever::smaller_state:
    return fmt::format("Make the optimizer's state smaller (freeze what is not to be trained by requires_grad_(False), "
                       "8 bits, sharded by ZeRO or FSDP, another optimizer): frees up to {}{}{}.",
                       bytes, gain.assumes_state ? ", if the optimizer keeps two values for each parameter" : "",
                       gain.is_necessary ? "; without that, no batch is small enough" : "");
  case Lever::settings: break;
  }
  return "";
}

std::string still_needed_text(const DeviceExplanation& device, const Cause& cause) {
  const StepEffect& without = cause.without;
  if (!without.is_known) return "";
  const std::string_view small_state =
      without.needs_small_state ? " If the optimizer keeps two values for each parameter, no batch is small enough."
                                : "";
  if (without.is_enough()) return std::string(small_state);
  const bool assumes_state = device.first_step && device.first_step->optimizer.empty() &&
                             device.first_step->state_to_come_bytes > 0 && !without.needs_small_state;
  const std::string_view assumption = assumes_state ? ", if the optimizer keeps two values for each parameter" : "";
  std::string text =
      without.missing_bytes > 0
          ? fmt::format(" The step then still lacks about {}{}", format_bytes(without.missing_bytes), assumption)
          : fmt::format(" The step then has about {} left{}", format_bytes(without.left_bytes), assumption);
  if (without.batch_divisor > 1)
    text += fmt::format(": {} as well", divided("the batch or the length of sequences", without.batch_divisor));
  return fmt::format("{}.{}", text, small_state);
}

std::vector<std::string> short_levers_text(const DeviceExplanation& device) {
  std::vector<std::string> sentences;
  const std::string missing = format_bytes(device.first_step->missing_bytes);
  for (const LeverGain& gain : device.first_step->levers) {
    if (gain.is_enough || gain.lever == Lever::settings) continue;
    const std::string frees = fmt::format("{} frees about {}", what_of(gain.lever), format_bytes(gain.bytes));
    if (gain.bytes < device.first_step->missing_bytes)
      sentences.push_back(fmt::format("{}, and the step lacks at least {}.", frees, missing));
    else if (gain.effect.missing_bytes > 0)
      sentences.push_back(
          fmt::format("{}; the step then still lacks about {}.", frees, format_bytes(gain.effect.missing_bytes)));
    else
      sentences.push_back(
          fmt::format("{}; the step then has about {} left.", frees, format_bytes(gain.effect.left_bytes)));
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
