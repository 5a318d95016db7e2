#include "analysis/kinds/device_kinds.hpp"

#include "base/saturating.hpp"

#include <algorithm>

namespace memviz {

namespace {

constexpr KindOf by_frames(MemoryKind kind) {
  return {kind, KindEvidence::frames};
}
constexpr KindOf by_behaviour(MemoryKind kind) {
  return {kind, KindEvidence::behaviour};
}

bool is_freed(const Lived& lived) {
  return !lived.history.free_event.is_none();
}

bool is_of_backward(const Lived& lived) {
  return lived.stack_class == StackClass::backward || lived.stack_class == StackClass::accumulate_grad;
}

/// As far as its frames tell.
bool may_be_parameter(const Lived& lived) {
  const StackClass of = lived.stack_class;
  return of == StackClass::none || of == StackClass::parameter || of == StackClass::forward ||
         of == StackClass::module_call || of == StackClass::copy;
}

} // namespace

void DeviceKinds::look_at(const Lived& lived) {
  if (lived.told.kind == MemoryKind::parameter || lived.stack_class == StackClass::parameter)
    ++parameters_[lived.bytes];
  if (!lived.history.is_explained() && lived.history.is_kept) {
    if (is_of_backward(lived)) ++gradients_before_[lived.bytes];
    if (may_be_parameter(lived)) ++kept_before_[lived.bytes];
  }
  if (is_left_by_backward(lived)) left_[lived.bytes].add(made_in(lived).epoch);
  if (is_kept_in_last_run(lived)) {
    ++kept_called_;
    kept_called_bytes_ = saturating_sum(kept_called_bytes_, lived.bytes);
  }
}

KindOf DeviceKinds::kind_of(const Lived& lived) const {
  if (lived.told.kind != MemoryKind::unknown) return lived.told;
  switch (lived.stack_class) {
  case StackClass::workspace: return by_frames(MemoryKind::workspace);
  case StackClass::communication: return by_frames(MemoryKind::communication);
  case StackClass::parameter: return by_frames(MemoryKind::parameter);
  case StackClass::gradient: return by_frames(MemoryKind::gradient);
  case StackClass::optimizer_state: return by_frames(MemoryKind::optimizer_state);
  case StackClass::data_loader: return by_frames(MemoryKind::input);
  default: break;
  }
  if (known_.phases.is_overflowed()) return {};
  if (!lived.history.is_explained()) return lived.history.is_kept ? kind_of_old(lived) : KindOf{};
  switch (lived.stack_class) {
  case StackClass::accumulate_grad:
  case StackClass::backward: return kind_of_backward(lived);
  case StackClass::optimizer: return kind_of_optimizer(lived);
  case StackClass::copy:
    // A batch is copied before its forward pass begins; what is copied later is mostly a cast.
    return made_in(lived).phase == Phase::forward ? kind_of_forward(lived) : by_frames(MemoryKind::input);
  case StackClass::module_call:
  case StackClass::forward: return kind_of_forward(lived);
  default: return {};
  }
}

const PhaseRun& DeviceKinds::made_in(const Lived& lived) const {
  return known_.phases.at(lived.history.alloc_event);
}

/// The last one where it is still there at the end.
const PhaseRun& DeviceKinds::gone_in(const Lived& lived) const {
  return is_freed(lived) ? known_.phases.at(lived.history.free_event) : last_;
}

bool DeviceKinds::is_left_by_backward(const Lived& lived) const {
  if (!is_of_backward(lived) || !lived.history.is_explained()) return false;
  return gone_in(lived).epoch > made_in(lived).epoch || is_freed_behind(lived);
}

/// Freed when its backward pass had made all that it made, and before anything else was made: by zero_grad(), behind an
/// optimizer that takes no memory.
bool DeviceKinds::is_freed_behind(const Lived& lived) const {
  if (!is_freed(lived)) return false;
  const PhaseRun& gone = gone_in(lived);
  return gone.first == made_in(lived).first && gone.first != last_.first && lived.history.free_event > gone.last;
}

std::uint64_t DeviceKinds::gradients_at_once(std::uint64_t bytes) const {
  const auto freed = known_.gradients.find(bytes);
  const auto left = left_.find(bytes);
  const auto before = gradients_before_.find(bytes);
  return std::max({freed == known_.gradients.end() ? 0 : freed->second.most,
                   left == left_.end() ? 0 : left->second.most,
                   before == gradients_before_.end() ? 0 : before->second});
}

/// Whether a module asked for it in the forward pass that the recording ends in. An exception may have freed it.
bool DeviceKinds::is_kept_in_last_run(const Lived& lived) const {
  return lived.stack_class == StackClass::module_call && lived.history.is_explained() && lived.is_there &&
         made_in(lived).first == last_.first && last_.phase == Phase::forward;
}

/// Whether the forward pass that the recording ends in keeps much of what its modules made, as it does for a backward
/// pass alone. Without one it keeps what its last module made, skip connections and caches of keys and values: in
/// transformers and U-Nets less than a fifth.
bool DeviceKinds::keeps_for_backward() const {
  constexpr std::uint64_t kFewest = 20;
  return kept_called_ >= kFewest && known_.called.run == last_.first &&
         kept_called_bytes_ / 2 >= known_.called.bytes / 5;
}

/// Whether others of its stack and size had this fate.
bool DeviceKinds::had(const Lived& lived, Fate fate) const {
  return known_.fates.has(lived.stack, lived.bytes, fate);
}

/// Older than the events, and there to the end. Of a size of which there are as many as gradients: parameters. Where
/// there are several for each gradient, they are parameters and an optimizer's state, and nothing tells them apart:
/// their sizes are the same, and addresses are not in the order of time.
KindOf DeviceKinds::kind_of_old(const Lived& lived) const {
  if (lived.stack_class == StackClass::optimizer)
    return last_.epoch > 0 ? by_behaviour(MemoryKind::optimizer_state) : KindOf{};
  if (lived.stack_class == StackClass::accumulate_grad) return by_frames(MemoryKind::gradient);
  if (!may_be_parameter(lived)) return {};
  const std::uint64_t gradients = gradients_at_once(lived.bytes);
  const auto count = kept_before_.find(lived.bytes);
  if (gradients == 0 || count == kept_before_.end() || count->second % gradients != 0) return {};
  return count->second == gradients ? by_behaviour(MemoryKind::parameter)
                                    : by_behaviour(MemoryKind::parameter_or_state);
}

KindOf DeviceKinds::kind_of_backward(const Lived& lived) const {
  if (is_left_by_backward(lived)) {
    const bool is_parameter_size = parameters_.contains(lived.bytes) || kept_before_.contains(lived.bytes);
    if (is_parameter_size) return by_behaviour(MemoryKind::gradient);
    return is_freed_behind(lived) ? by_behaviour(MemoryKind::temporary) : KindOf{};
  }
  if (is_freed(lived)) return by_behaviour(MemoryKind::temporary);
  // The recording ends within the backward pass.
  const bool was_temporary = had(lived, Fate::in_its_phase);
  const bool was_left = had(lived, Fate::later);
  if (was_temporary && !was_left) return by_behaviour(MemoryKind::temporary);
  const bool is_gradient = was_left && !was_temporary && gradients_at_once(lived.bytes) > 0;
  return is_gradient ? by_behaviour(MemoryKind::gradient) : KindOf{};
}

KindOf DeviceKinds::kind_of_optimizer(const Lived& lived) const {
  const PhaseRun& made = made_in(lived);
  const PhaseRun& gone = gone_in(lived);
  if (gone.first == made.first) return is_freed(lived) ? by_behaviour(MemoryKind::temporary) : KindOf{};
  return gone.epoch > made.epoch ? by_behaviour(MemoryKind::optimizer_state) : KindOf{};
}

KindOf DeviceKinds::kind_of_forward(const Lived& lived) const {
  const PhaseRun& made = made_in(lived);
  if (made.phase != Phase::forward) return {};
  // What an exception freed has no other fate, so that this tells nothing of it.
  const bool was_temporary = !is_freed(lived) && had(lived, Fate::in_its_phase) && !had(lived, Fate::in_backward);
  if (is_kept_in_last_run(lived) && keeps_for_backward() && !was_temporary) return by_behaviour(MemoryKind::activation);
  if (is_freed(lived)) {
    const PhaseRun& gone = gone_in(lived);
    if (gone.epoch != made.epoch) return {};
    if (gone.phase == Phase::backward) return by_behaviour(MemoryKind::activation);
    // Without a backward pass behind it, a forward pass has no end: what a server keeps for hours is no temporary.
    const bool has_ended = last_.first != made.first;
    return has_ended && gone.phase == Phase::forward ? by_behaviour(MemoryKind::temporary) : KindOf{};
  }
  // The recording ends before it was freed: as the same line did before.
  const bool is_always_kept =
      had(lived, Fate::in_backward) && !had(lived, Fate::in_its_phase) && !had(lived, Fate::later);
  return is_always_kept ? by_behaviour(MemoryKind::activation) : KindOf{};
}

} // namespace memviz
