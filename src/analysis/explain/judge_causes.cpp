#include "analysis/explain/judge_causes.hpp"

#include "analysis/causes/one_tensor.hpp"

#include <algorithm>
#include <optional>

namespace memviz {

namespace {

bool is_never(std::size_t /*event*/) {
  return false;
}

std::uint64_t bytes_of_kind(const DeviceExplanation& device, MemoryKind kind) {
  return device.kinds[static_cast<std::size_t>(kind)].bytes;
}

/// The allocations of a cause, among all that the recording has.
class CausePart {
public:
  CausePart(const JudgedFailure& failure, const Cause& cause, CallLineFinder& finder)
      : events_(failure.lead_up.events), finder_(finder) {
    switch (cause.kind) {
    case CauseKind::logits:
    case CauseKind::attention_scores:
      tensor_.emplace(cause.kind, failure.lead_up.state.frames(), failure.blocks, *failure.device.request,
                      finder.of(failure.device.request->stack));
      break;
    case CauseKind::foreach_temporaries: marks_ = cause_mark::foreach; break;
    case CauseKind::recomputed: marks_ = cause_mark::recomputes; break;
    default: break;
    }
  }

  /// Whether functions in stacks show what belongs to the cause.
  [[nodiscard]] bool is_known() const { return tensor_ || marks_ != 0; }
  [[nodiscard]] bool has(StackId stack, std::uint64_t bytes) const {
    const CallLines& lines = finder_.of(stack);
    if (!tensor_) return (lines.marks & marks_) != 0;
    // In a backward pass a gradient of a parameter can have the same size.
    return tensor_->is_marked(lines) || ((lines.marks & mark::engine) == 0 && tensor_->has(lines, bytes));
  }
  [[nodiscard]] bool has_event(std::size_t event) const { return has(events_.stack(event), events_.size_bytes(event)); }

private:
  const EventTable& events_;
  CallLineFinder& finder_;
  std::optional<OneTensor> tensor_;
  std::uint64_t marks_ = 0;
};

/// Returns the events that allocated the blocks of these kinds; ascending.
template <class IsWanted>
std::vector<std::uint64_t> events_of(std::span<const LiveBlock> blocks, const IsWanted& is_wanted) {
  std::vector<std::uint64_t> events;
  for (const LiveBlock& block : blocks)
    if (is_wanted(block) && !block.alloc_event.is_none())
      events.push_back(static_cast<std::uint64_t>(block.alloc_event.value()));
  std::ranges::sort(events);
  return events;
}

/// A part of logits that is still made if a loss is computed in pieces: one in so many.
constexpr std::uint64_t kPieces = 8;

/// Adds what is made in place of a cause. Each piece of a loss makes a gradient of the last layer, which is added to
/// that of the others.
void add_replacement(StepOutlook& outlook, const Cause& cause, std::span<const LiveBlock> blocks) {
  if (cause.kind != CauseKind::logits) return;
  std::uint64_t largest_bytes = 0;
  for (const LiveBlock& block : blocks)
    if (block.kind == MemoryKind::parameter) largest_bytes = std::max(largest_bytes, block.bytes);
  outlook.pass_bytes += cause.bytes / kPieces;
  outlook.kept_bytes += 2 * largest_bytes;
}

/// Returns the effect as the pass before shows it.
StepEffect effect_by_pass_before(const JudgedFailure& failure, const Cause& cause, const CausePart& part) {
  std::uint64_t live_bytes = 0;
  for (const LiveBlock& block : failure.blocks)
    if (!block.is_lasting() && part.has(block.stack, block.bytes)) live_bytes += block.bytes;
  const std::int64_t rise_bytes =
      rise_without(failure.lead_up, failure.rest, live_bytes, [&](std::size_t event) { return part.has_event(event); });
  const DeviceExplanation& device = failure.device;
  const auto in_use_bytes = static_cast<std::int64_t>(device.device_state.figures.requested_bytes);
  const auto peak_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, in_use_bytes + rise_bytes));
  StepOutlook outlook;
  for (const LiveBlock& block : failure.blocks)
    if (block.is_lasting() || block.alloc_event < failure.rest.need.start) outlook.lasting_bytes += block.bytes;
  const std::uint64_t pass_bytes = peak_bytes - std::min(peak_bytes, outlook.lasting_bytes);
  outlook.kept_bytes = std::min(pass_bytes, bytes_of_kind(device, MemoryKind::parameter)); // gradients
  outlook.pass_bytes = pass_bytes - outlook.kept_bytes;
  add_replacement(outlook, cause, failure.blocks);
  outlook.room_bytes = device.device_state.figures.requested_bytes + failure.rest.need.available_bytes;
  return step_effect(outlook);
}

/// Returns the bytes of layers that the forward pass has not reached.
std::uint64_t layers_to_come(const DeviceExplanation& device) {
  const auto found = std::ranges::find(device.causes, CauseKind::activations, &Cause::kind);
  return found == device.causes.end() ? 0 : found->to_come_bytes;
}

std::uint64_t part_of(std::uint64_t bytes, std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? bytes
                    : static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(part) /
                                                 static_cast<double>(whole));
}

/// Adds what an optimizer's first step makes. By default it uses the foreach implementation on a GPU.
void add_first_update(StepOutlook& outlook, const FirstStep& step, const Cause* left_out, const PassPeak& peak) {
  const std::uint64_t trained_bytes = step.gradient_bytes + step.gradients_to_come_bytes;
  const bool has_temporaries = left_out == nullptr || left_out->kind != CauseKind::foreach_temporaries;
  outlook.lasting_bytes = step.parameter_bytes + step.state_bytes + step.state_to_come_bytes;
  outlook.update_bytes =
      peak.before_bytes + trained_bytes + std::max(has_temporaries ? trained_bytes : 0, peak.largest_bytes);
}

bool is_in_optimizer(const JudgedFailure& failure) {
  const FrameTable& frames = failure.lead_up.state.frames();
  return std::ranges::any_of(failure.device.open_annotations,
                             [&](StringId name) { return frames.text(name).starts_with("Optimizer.step"); });
}

} // namespace

StepEstimator::StepEstimator(const JudgedFailure& failure, CallLineFinder& finder)
    : failure_(failure), finder_(finder) {
  const auto is_gradient = [](const LiveBlock& block) { return block.kind == MemoryKind::gradient; };
  gradients_ = events_of(failure.blocks, is_gradient);
  lasting_ =
      events_of(failure.blocks, [&](const LiveBlock& block) { return block.is_lasting() && !is_gradient(block); });
}

PassPeak StepEstimator::peak_without(std::uint64_t request_bytes, const IsEvent& is_left_out) const {
  const EventTable& events = failure_.lead_up.events;
  const auto marks_of = [&](std::size_t event) { return finder_.of(events.stack(event)).marks; };
  const PassQuestions questions{
      .is_lasting = [&](std::size_t event) { return std::ranges::binary_search(lasting_, event); },
      .is_gradient = [&](std::size_t event) { return std::ranges::binary_search(gradients_, event); },
      .is_of_pass =
          [&](std::size_t event) {
            return finder_.of(events.stack(event)).is_in_module || (marks_of(event) & mark::engine) != 0;
          },
      .is_backward = [&](std::size_t event) { return (marks_of(event) & mark::engine) != 0; },
      .is_left_out = is_left_out};
  return pass_peak(failure_.lead_up, request_bytes, questions);
}

const PassPeak& StepEstimator::with_all() {
  if (!with_all_) with_all_ = peak_without(failure_.device.request->bytes, is_never);
  return *with_all_;
}

StepOutlook StepEstimator::outlook(const Cause* left_out) {
  const DeviceExplanation& device = failure_.device;
  const Request& request = *device.request;
  PassPeak peak = with_all();
  if (left_out != nullptr) {
    const CausePart part(failure_, *left_out, finder_);
    peak = peak_without(part.has(request.stack, request.bytes) ? 0 : request.bytes,
                        [&](std::size_t event) { return part.has_event(event); });
  }
  StepOutlook outlook;
  outlook.lasting_bytes =
      bytes_of_kind(device, MemoryKind::parameter) + bytes_of_kind(device, MemoryKind::optimizer_state);
  // Autograd's thread makes workspaces of its own.
  outlook.fixed_bytes = bytes_of_kind(device, MemoryKind::workspace) * (peak.has_backward ? 1 : 2);
  outlook.kept_bytes = std::min(peak.kept_bytes, peak.bytes);
  const std::uint64_t of_batch_bytes = peak.bytes - outlook.kept_bytes;
  outlook.pass_bytes = of_batch_bytes + part_of(layers_to_come(device), peak.bytes, with_all().bytes);
  if (left_out != nullptr) add_replacement(outlook, *left_out, failure_.blocks);
  if (!is_in_optimizer(failure_)) outlook.pass_bytes += peak.largest_bytes; // its gradient
  if (failure_.first_step != nullptr) add_first_update(outlook, *failure_.first_step, left_out, peak);
  outlook.room_bytes = device.ledger.reserved_bytes + device.ledger.device_free_bytes.value_or(0);
  return outlook;
}

namespace {

/// Returns the effect by an estimate. If no optimizer has run, and no batch is small enough with the state that Adam
/// makes, the effect is that without a state.
StepEffect estimated_effect(const JudgedFailure& failure, const Cause& cause, StepEstimator& estimator) {
  StepOutlook outlook = estimator.outlook(&cause);
  StepEffect effect = step_effect(outlook);
  if (effect.batch_divisor != 0 || failure.first_step == nullptr || !failure.first_step->optimizer.empty())
    return effect;
  outlook.lasting_bytes -= failure.first_step->state_to_come_bytes;
  effect = step_effect(outlook);
  effect.needs_small_state = true;
  return effect;
}

} // namespace

std::vector<StepEffect> effects_of_removal(const JudgedFailure& failure, StepEstimator& estimator,
                                           CallLineFinder& finder) {
  std::vector<StepEffect> effects;
  for (const Cause& cause : failure.device.causes) {
    const CausePart part(failure, cause, finder);
    const bool has_parameters = bytes_of_kind(failure.device, MemoryKind::parameter) > 0;
    StepEffect effect;
    if (part.is_known() && !failure.rest.events.empty())
      effect = effect_by_pass_before(failure, cause, part);
    else if (part.is_known() && has_parameters && cause.kind != CauseKind::recomputed)
      effect = estimated_effect(failure, cause, estimator);
    effects.push_back(effect);
  }
  return effects;
}

} // namespace memviz
