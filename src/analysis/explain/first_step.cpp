#include "analysis/explain/first_step.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace memviz {

namespace {

constexpr std::string_view kOptimizerMark = "Optimizer.";
constexpr std::string_view kStepMark = "Optimizer.step";

std::uint64_t kind_bytes(const DeviceExplanation& device, MemoryKind kind) {
  return device.kinds[static_cast<std::size_t>(kind)].bytes;
}

bool is_before(const Annotation& annotation, const Request& request) {
  return !request.time_us || annotation.time_us <= *request.time_us;
}

bool is_end_of_step(const Recording& recording, const Annotation& annotation) {
  return recording.frames.text(annotation.stage) == "END" &&
         recording.frames.text(annotation.name).starts_with(kStepMark);
}

bool is_in_optimizer(const FrameTable& frames, const DeviceExplanation& device) {
  return std::ranges::any_of(device.open_annotations,
                             [&](StringId name) { return frames.text(name).starts_with(kStepMark); });
}

/// Returns "AdamW" for "Optimizer.zero_grad#AdamW.zero_grad", the last such annotation before the request; "" if there
/// is none.
std::string optimizer_before(const Recording& recording, const Request& request) {
  const Annotation* last = nullptr;
  for (const Annotation& annotation : recording.annotations)
    if (is_before(annotation, request) && recording.frames.text(annotation.name).starts_with(kOptimizerMark))
      if (last == nullptr || annotation.time_us >= last->time_us) last = &annotation;
  if (last == nullptr) return "";
  const std::string_view name = recording.frames.text(last->name);
  const std::size_t begin = name.find('#');
  if (begin == std::string_view::npos) return "";
  return std::string(name.substr(begin + 1, name.find('.', begin) - begin - 1));
}

/// Returns the minimum number of values that an optimizer creates in its first step for each parameter; Adam's if the
/// optimizer is unknown, because it is the usual one.
std::uint64_t values_per_parameter(std::string_view optimizer) {
  constexpr std::array<std::string_view, 8> kTwo{"",      "Adam",     "AdamW", "NAdam",
                                                 "RAdam", "Adadelta", "Rprop", "FusedAdam"};
  constexpr std::array<std::string_view, 4> kOne{"RMSprop", "ASGD", "Muon", "Lion"};
  if (std::ranges::find(kTwo, optimizer) != kTwo.end() || optimizer == "Adamax") return 2;
  return std::ranges::find(kOne, optimizer) != kOne.end() ? 1 : 0;
}

/// Counts the pairs of a forward and a backward pass before the request.
std::size_t passes_before(const MemoryState& state, const DeviceExplanation& device, PassFinder& passes) {
  const auto changes = passes.changes_in(state.recording->events_of(device.device_state.device));
  return static_cast<std::size_t>(std::ranges::count_if(
      changes, [&](const PassChange& change) { return change.after <= device.request->event.value(); }));
}

/// Whether the device is in its first training step: one forward pass, one backward pass, and then an optimizer.
bool is_first_step(const MemoryState& state, const DeviceExplanation& device, PassFinder& finder,
                   bool is_in_optimizer) {
  if (has_ended_a_step(*state.recording, *device.request)) return false;
  if (!is_in_optimizer && kind_bytes(device, MemoryKind::optimizer_state) > 0) return false;
  const std::size_t passes = passes_before(state, device, finder);
  if (passes > (is_in_optimizer ? 2 : 1)) return false;
  return passes > 0 || is_in_optimizer || kind_bytes(device, MemoryKind::activation) > 0;
}

bool can_settings_help(const DeviceExplanation& device) {
  return std::ranges::any_of(device.what_ifs, [](const WhatIf& answer) {
    const bool is_setting =
        answer.circumstance == Circumstance::expandable_segments || answer.circumstance == Circumstance::max_split_size;
    return is_setting && answer.outcome == Outcome::fits;
  });
}

/// Returns the estimate if a change frees a part of the pass.
StepOutlook with_less(StepOutlook outlook, std::uint64_t freed_bytes) {
  outlook.pass_bytes -= std::min(outlook.pass_bytes, freed_bytes);
  return outlook;
}

std::vector<LeverGain> levers_of(const DeviceExplanation& device, const FirstStep& step, const PassMemory& memory) {
  constexpr std::uint64_t kLittle = 100; // one in so many
  std::vector<LeverGain> levers{{Lever::checkpointing, memory.checkpointing_bytes},
                                {Lever::smaller_batch, step.pass_bytes / 2}};
  levers.push_back({Lever::smaller_state, step.state_bytes + step.state_to_come_bytes});
  if (can_settings_help(device)) levers.push_back({Lever::settings, device.ledger.room.hard_bytes});
  std::erase_if(levers, [&](const LeverGain& gain) { return gain.bytes < step.needed_bytes / kLittle; });
  std::ranges::stable_sort(levers, std::ranges::greater(), &LeverGain::bytes);
  return levers;
}

} // namespace

void judge_levers(FirstStep& step, const StepOutlook& outlook) {
  const StepEffect smaller_batch = step_effect(outlook);
  for (LeverGain& gain : step.levers) {
    switch (gain.lever) {
    case Lever::checkpointing:
      gain.effect = step_effect(with_less(outlook, gain.bytes));
      gain.is_enough = gain.effect.is_enough();
      break;
    case Lever::smaller_batch:
      gain.is_enough = smaller_batch.batch_divisor != 0;
      gain.divisor = std::max<std::uint64_t>(2, smaller_batch.batch_divisor);
      gain.bytes = step.pass_bytes - step.pass_bytes / gain.divisor;
      gain.effect = step_effect(with_less(outlook, outlook.pass_bytes - outlook.pass_bytes / gain.divisor));
      break;
    case Lever::smaller_state:
      gain.is_enough = gain.bytes >= step.missing_bytes;
      gain.assumes_state = step.optimizer.empty();
      gain.is_necessary = step.needed_bytes > step.available_bytes;
      break;
    case Lever::settings: break;
    }
  }
  const bool has_small_state = smaller_batch.batch_divisor == 0 || step.needed_bytes > step.available_bytes;
  std::erase_if(step.levers,
                [&](const LeverGain& gain) { return gain.lever == Lever::smaller_state && !has_small_state; });
  std::ranges::stable_sort(step.levers, std::ranges::greater(), &LeverGain::bytes);
}

bool has_ended_a_step(const Recording& recording, const Request& request) {
  return std::ranges::any_of(recording.annotations, [&](const Annotation& annotation) {
    return is_before(annotation, request) && is_end_of_step(recording, annotation);
  });
}

std::vector<std::uint64_t> ends_of_steps(const Recording& recording, const EventTable& events) {
  std::vector<std::uint64_t> ends;
  if (events.empty() || !events[0].time_us) return ends;
  for (const Annotation& annotation : recording.annotations) {
    if (!is_end_of_step(recording, annotation)) continue;
    std::size_t first = 0;
    std::size_t end = events.size();
    while (first < end) { // events ascend by time
      const std::size_t middle = first + (end - first) / 2;
      if (events[middle].time_us.value_or(0) < annotation.time_us)
        first = middle + 1;
      else
        end = middle;
    }
    ends.push_back(first);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::optional<FirstStep> first_step(const MemoryState& state, const DeviceExplanation& device, const PassMemory& memory,
                                    PassFinder& passes) {
  constexpr std::uint64_t kFew = 10; // one in so many
  FirstStep step;
  step.parameter_bytes = kind_bytes(device, MemoryKind::parameter);
  if (!device.request || step.parameter_bytes == 0) return std::nullopt;
  if (device.device_state.figures.baseline_bytes > step.parameter_bytes / kFew) return std::nullopt;
  const bool in_optimizer = is_in_optimizer(state.frames(), device);
  if (!is_first_step(state, device, passes, in_optimizer)) return std::nullopt;
  step.gradient_bytes = kind_bytes(device, MemoryKind::gradient);
  step.state_bytes = kind_bytes(device, MemoryKind::optimizer_state);
  step.pass_bytes = memory.kept_bytes;
  step.optimizer = optimizer_before(*state.recording, *device.request);
  step.shows_training =
      in_optimizer || !step.optimizer.empty() || step.gradient_bytes > 0 || passes_before(state, device, passes) > 0;
  step.values_per_parameter = values_per_parameter(step.optimizer);
  if (in_optimizer && step.state_bytes > 0 && step.values_per_parameter == 0) step.values_per_parameter = 1; // momentum
  // After the backward pass, gradients show which parameters are trained.
  const std::uint64_t trained_bytes = in_optimizer ? step.gradient_bytes : step.parameter_bytes;
  const auto to_come = [](std::uint64_t all, std::uint64_t there) { return all - std::min(all, there); };
  step.gradients_to_come_bytes = to_come(trained_bytes, step.gradient_bytes);
  // Loaded tensors may be the state, which is then not made again.
  step.state_to_come_bytes = to_come(step.values_per_parameter * trained_bytes, step.state_bytes + memory.loaded_bytes);
  step.needed_bytes = step.parameter_bytes + step.gradient_bytes + step.gradients_to_come_bytes + step.state_bytes +
                      step.state_to_come_bytes;
  step.available_bytes = device.ledger.reserved_bytes + device.ledger.device_free_bytes.value_or(0);
  step.missing_bytes = std::max(to_come(step.needed_bytes, step.available_bytes), device.judgement.missing_bytes);
  step.levers = levers_of(device, step, memory);
  return step;
}

} // namespace memviz
