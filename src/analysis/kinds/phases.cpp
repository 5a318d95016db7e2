#include "analysis/kinds/phases.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

namespace memviz {

namespace {

constexpr std::size_t kMostRuns = std::size_t{1} << 20U;

/// Returns the phase of an allocation by `stack_class`; nullopt: any.
std::optional<Phase> phase_of(StackClass stack_class, Phase now) {
  switch (stack_class) {
  case StackClass::backward:
  case StackClass::reduction:
  case StackClass::accumulate_grad: return Phase::backward;
  case StackClass::optimizer:
  case StackClass::optimizer_state: return Phase::optimizer;
  case StackClass::cast_call:
  case StackClass::cat_call:
  case StackClass::module_call: return Phase::forward;
  // Code outside modules: a loss, the averaging of weights, the creation of the model.
  case StackClass::zeros_like:
  case StackClass::forward: return now == Phase::before ? Phase::before : Phase::forward;
  case StackClass::data_loader:
  case StackClass::copy:
  case StackClass::random: return Phase::before;
  case StackClass::none:
  case StackClass::checkpoint:
  case StackClass::kv_cache:
  case StackClass::parameter:
  case StackClass::gradient:
  case StackClass::workspace:
  case StackClass::master_copy:
  case StackClass::bucket:
  case StackClass::communication: break;
  }
  return std::nullopt;
}

} // namespace

bool Phases::allocated(EventIndex event, StackClass stack_class) {
  PhaseRun& last = runs_.back();
  const std::optional<Phase> phase = phase_of(stack_class, last.phase);
  if (!phase) return false;
  if (*phase == last.phase) {
    last.last = event;
    return false;
  }
  if (runs_.size() == kMostRuns) {
    is_overflowed_ = true;
    return false;
  }
  const std::uint32_t epoch = last.epoch + (last.phase == Phase::backward ? 1 : 0);
  const std::uint32_t batches = last.batches + (*phase == Phase::before ? 1 : 0);
  runs_.push_back({event, *phase, epoch, batches, event});
  return true;
}

bool Phases::has_trained() const {
  return std::ranges::any_of(
      runs_, [](const PhaseRun& run) { return run.phase == Phase::backward || run.phase == Phase::optimizer; });
}

bool Phases::has_backward() const {
  return std::ranges::any_of(runs_, [](const PhaseRun& run) { return run.phase == Phase::backward; });
}

bool Phases::is_before_forward(const PhaseRun& run) const {
  const auto next = std::ranges::upper_bound(runs_, run.first, {}, &PhaseRun::first);
  return next != runs_.end() && next->phase == Phase::forward;
}

const PhaseRun& Phases::at(EventIndex event) const {
  return *std::prev(std::ranges::upper_bound(runs_, event, {}, &PhaseRun::first));
}

} // namespace memviz
