#include "analysis/kinds/phases.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace memviz {

namespace {

constexpr std::size_t kMostRuns = std::size_t{1} << 20U;

Phase phase_of(StackClass stack_class, Phase now) {
  switch (stack_class) {
  case StackClass::backward:
  case StackClass::accumulate_grad: return Phase::backward;
  case StackClass::optimizer:
  case StackClass::optimizer_state: return Phase::optimizer;
  case StackClass::module_call:
  case StackClass::forward: return Phase::forward;
  case StackClass::none:
  case StackClass::parameter:
  case StackClass::gradient:
  case StackClass::workspace:
  case StackClass::communication:
  case StackClass::data_loader:
  case StackClass::copy: break;
  }
  return now;
}

} // namespace

void Phases::allocated(EventIndex event, StackClass stack_class) {
  PhaseRun& last = runs_.back();
  const Phase phase = phase_of(stack_class, last.phase);
  if (phase == last.phase) {
    last.last = event;
    return;
  }
  if (runs_.size() == kMostRuns) {
    is_overflowed_ = true;
    return;
  }
  runs_.push_back({event, phase, last.epoch + (last.phase == Phase::backward ? 1 : 0), event});
}

const PhaseRun& Phases::at(EventIndex event) const {
  return *std::prev(std::ranges::upper_bound(runs_, event, {}, &PhaseRun::first));
}

} // namespace memviz
