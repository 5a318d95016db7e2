#include "analysis/kinds/device_kinds.hpp"

#include <algorithm>

namespace memviz {

namespace {

constexpr KindOf by_frames(MemoryKind kind) {
  return {kind, KindEvidence::frames};
}
constexpr KindOf by_behaviour(MemoryKind kind) {
  return {kind, KindEvidence::behaviour};
}

} // namespace

KindOf DeviceKinds::kind_of(const RecordedAllocation& allocation) const {
  if (allocation.declared.kind != MemoryKind::unknown) return allocation.declared;
  switch (allocation.stack_class) {
  case StackClass::workspace: return by_frames(MemoryKind::workspace);
  case StackClass::communication: return by_frames(MemoryKind::communication);
  case StackClass::parameter: return by_frames(MemoryKind::parameter);
  case StackClass::gradient: return by_frames(MemoryKind::gradient);
  case StackClass::optimizer_state:
  case StackClass::master_copy: return by_frames(MemoryKind::optimizer_state);
  case StackClass::bucket:
    return is_parameter_size(allocation.bytes) ? by_behaviour(MemoryKind::gradient)
                                               : by_frames(MemoryKind::communication);
  case StackClass::data_loader: return by_frames(MemoryKind::input);
  default: break;
  }
  if (known_.phases.is_overflowed()) return {};
  if (!allocation.history.is_explained())
    return allocation.history.is_kept ? kind_of_old(allocation) : kind_of_old_freed(allocation);
  switch (allocation.stack_class) {
  case StackClass::accumulate_grad:
  case StackClass::backward: return kind_of_backward(allocation);
  case StackClass::reduction: return kind_of_reduction(allocation);
  case StackClass::optimizer: return kind_of_optimizer(allocation);
  case StackClass::random:
  case StackClass::copy: return kind_of_copy(allocation);
  case StackClass::zeros_like: return kind_of_zeros(allocation);
  case StackClass::checkpoint: return kind_of_checkpoint(allocation);
  case StackClass::cat_call:
  case StackClass::kv_cache: return kind_of_cache(allocation);
  case StackClass::module_call:
  case StackClass::cast_call:
  case StackClass::forward: return kind_of_forward(allocation);
  default: return {};
  }
}

const PhaseRun& DeviceKinds::made_in(const RecordedAllocation& allocation) const {
  return known_.phases.at(allocation.history.alloc_event);
}

/// Returns the failure whose exception freed it, or null.
const Failure* DeviceKinds::failure_of(const RecordedAllocation& allocation) const {
  return allocation.history.free_event.is_none() ? nullptr : known_.unwound_by(allocation.history.free_event);
}

/// Whether the program freed it, as opposed to an exception.
bool DeviceKinds::is_freed(const RecordedAllocation& allocation) const {
  return !allocation.history.free_event.is_none() && failure_of(allocation) == nullptr;
}

/// Returns the event that freed it: the last event if it still exists at the end; the failure's if an exception freed
/// it.
const PhaseRun& DeviceKinds::gone_in(const RecordedAllocation& allocation) const {
  if (allocation.history.free_event.is_none()) return last_;
  return known_.phases.at(allocation.history.free_event);
}

/// Whether it was allocated before the last allocation of its phase: in a backward pass by autograd, not by later code.
bool DeviceKinds::is_freed_within(const RecordedAllocation& allocation) const {
  return is_freed(allocation) && allocation.history.free_event < gone_in(allocation).last;
}

bool DeviceKinds::is_parameter_size(std::uint64_t bytes) const {
  return known_.sizes.of(bytes).has_parameters();
}

/// Whether it has the size of a whole parameter, and was freed where FSDP or ZeRO has copied it into the buffer of a
/// reduction.
bool DeviceKinds::is_reduced(const RecordedAllocation& allocation) const {
  return is_freed(allocation) && is_parameter_size(allocation.bytes) &&
         known_.is_in_reduction(allocation.history.free_event);
}

/// Whether others of its stack and size had this fate.
bool DeviceKinds::met(const RecordedAllocation& allocation, Fate fate) const {
  return known_.fates.has(allocation.stack, allocation.bytes, fate);
}

/// Older than the events, alive to the end, and of a gradient's size. If there are as many as gradients, they are
/// parameters. If there are several for each gradient, they are parameters and an optimizer's state of the same sizes,
/// which only their addresses distinguish.
KindOf DeviceKinds::kind_of_old(const RecordedAllocation& allocation) const {
  // A backward pass after the step that made it shows that it outlives the step. A ring may be too short for a whole
  // one.
  if (allocation.stack_class == StackClass::optimizer)
    return known_.phases.has_backward() ? by_behaviour(MemoryKind::optimizer_state) : KindOf{};
  if (allocation.stack_class == StackClass::accumulate_grad) return by_frames(MemoryKind::gradient);
  if (allocation.stack_class == StackClass::kv_cache) return by_frames(MemoryKind::kv_cache);
  if (!may_be_parameter(allocation.stack_class)) return {};
  if (is_layer_weight(allocation)) return by_behaviour(MemoryKind::parameter);
  if (!known_.sizes.has_old_copies(allocation.bytes, old_per_gradient_)) return {};
  if (old_per_gradient_ == 1) return by_behaviour(MemoryKind::parameter);
  const auto copy = std::ranges::lower_bound(known_.old_copies, allocation.address, {}, &OldCopy::address);
  const bool is_placed = copy != known_.old_copies.end() && copy->address == allocation.address;
  return by_behaviour(is_placed ? copy->kind : MemoryKind::parameter_or_state);
}

/// Older than the events: memory that autograd frees in the first backward pass was kept for it.
KindOf DeviceKinds::kind_of_old_freed(const RecordedAllocation& allocation) const {
  const PhaseRun& gone = gone_in(allocation);
  if (gone.epoch == 0 && gone.phase == Phase::backward && is_freed_within(allocation))
    return by_behaviour(MemoryKind::activation);
  return {};
}

/// Made before the first forward pass and alive after it; together with those that frames name, there are as many of
/// its size as gradients.
bool DeviceKinds::is_resident_parameter(const RecordedAllocation& allocation) const {
  const SizeFacts& facts = known_.sizes.of(allocation.bytes);
  const std::uint64_t gradients = facts.gradients_at_once();
  if (gradients == 0 || facts.residents == 0 || facts.parameters - facts.placeholders + facts.residents != gradients)
    return false;
  const PhaseRun& made = made_in(allocation);
  return known_.phases.is_first(made) && gone_in(allocation).first != made.first;
}

/// One of the weights of repeated layers, in a recording without gradients.
bool DeviceKinds::is_layer_weight(const RecordedAllocation& allocation) const {
  return allocation.history.free_event.is_none() &&
         std::ranges::binary_search(known_.layer_weights, allocation.address);
}

KindOf DeviceKinds::kind_of_copy(const RecordedAllocation& allocation) const {
  if (is_resident_parameter(allocation)) return by_behaviour(MemoryKind::parameter);
  if (allocation.stack_class != StackClass::copy || !known_.phases.is_first(made_in(allocation)))
    return by_frames(MemoryKind::input);
  const auto copies = known_.copies.find(allocation.stack);
  const bool are_weights = copies != known_.copies.end() && copies->second.are_weights();
  return are_weights ? by_behaviour(MemoryKind::parameter) : by_frames(MemoryKind::input);
}

/// These are weights if a module takes them unchanged, and copies if it has separate ones. With an optimizer's state
/// among them, there are more than gradients.
KindOf DeviceKinds::kind_of_checkpoint(const RecordedAllocation& allocation) const {
  const SizeFacts& facts = known_.sizes.of(allocation.bytes);
  const bool is_only_one = facts.parameters == 0 && facts.gradients_at_once() == 0 && !is_freed(allocation);
  return is_only_one || is_resident_parameter(allocation) ? by_behaviour(MemoryKind::parameter) : KindOf{};
}

/// An optimizer outside PyTorch: memory that has a parameter's size and survives a backward pass.
KindOf DeviceKinds::kind_of_zeros(const RecordedAllocation& allocation) const {
  if (gone_in(allocation).epoch == made_in(allocation).epoch) return kind_of_forward(allocation);
  return is_parameter_size(allocation.bytes) ? by_behaviour(MemoryKind::optimizer_state) : KindOf{};
}

KindOf DeviceKinds::kind_of_backward(const RecordedAllocation& allocation) const {
  const PhaseRun& made = made_in(allocation);
  const PhaseRun& gone = gone_in(allocation);
  if (is_reduced(allocation)) return by_behaviour(MemoryKind::gradient);
  if (gone.first == made.first && is_freed_within(allocation)) return by_behaviour(MemoryKind::temporary);
  const bool is_over = made.first != last_.first && (gone.epoch > made.epoch || is_freed(allocation));
  if (!is_over) return kind_of_unfinished_backward(allocation);
  // Double backward: a pass that is itself differentiated keeps memory that a later one frees. A gradient that is
  // accumulated over batches may be freed where DDP copies it into a bucket.
  const bool is_accumulated = made.batches != gone.batches && is_parameter_size(allocation.bytes);
  if (gone.first != made.first && gone.phase == Phase::backward && is_freed_within(allocation) && !is_accumulated)
    return by_behaviour(MemoryKind::activation);
  // The last temporaries are freed after the last allocation.
  const bool is_last = gone.first == made.first;
  const bool is_gradient = is_last ? is_parameter_size(allocation.bytes) && !met(allocation, Fate::in_its_phase) : true;
  return by_behaviour(is_gradient ? MemoryKind::gradient : MemoryKind::temporary);
}

/// The buffers are freed when the collective is done; what stays is the part of the gradients that this rank keeps.
KindOf DeviceKinds::kind_of_reduction(const RecordedAllocation& allocation) const {
  const KindOf kind = kind_of_backward(allocation);
  return kind.kind == MemoryKind::gradient ? kind : by_frames(MemoryKind::communication);
}

/// The recording ends within the backward pass, or a failure does, or before any sign that it is over.
KindOf DeviceKinds::kind_of_unfinished_backward(const RecordedAllocation& allocation) const {
  const bool was_temporary = met(allocation, Fate::in_its_phase);
  const bool was_left = met(allocation, Fate::later);
  if (was_temporary && !was_left) return by_behaviour(MemoryKind::temporary);
  if (was_left && !was_temporary) return by_behaviour(MemoryKind::gradient);
  const SizeFacts& facts = known_.sizes.of(allocation.bytes);
  const bool are_as_many = was_left && facts.unfinished == facts.gradients_at_once();
  if ((!was_temporary || are_as_many) && is_parameter_size(allocation.bytes)) return by_behaviour(MemoryKind::gradient);
  return is_freed(allocation) ? by_behaviour(MemoryKind::temporary) : KindOf{};
}

KindOf DeviceKinds::kind_of_optimizer(const RecordedAllocation& allocation) const {
  const PhaseRun& made = made_in(allocation);
  const PhaseRun& gone = gone_in(allocation);
  if (gone.first != made.first) return gone.epoch > made.epoch ? by_behaviour(MemoryKind::optimizer_state) : KindOf{};
  if (is_freed(allocation)) return by_behaviour(MemoryKind::temporary);
  // Memory that is live when the step is over, or when it fails.
  return met(allocation, Fate::in_its_phase) || failure_of(allocation) != nullptr
             ? KindOf{}
             : by_behaviour(MemoryKind::optimizer_state);
}

/// Whether its backward pass was nearly over and had not freed it.
bool DeviceKinds::is_output(const RecordedAllocation& allocation) const {
  const EventIndex gone = allocation.history.free_event.is_none() ? kLastPossibleEvent : allocation.history.free_event;
  return OfDevice::is_left_by(gone_in(allocation), allocation.history.alloc_event, gone);
}

/// Keys and values that training keeps are activations.
KindOf DeviceKinds::kind_of_cache(const RecordedAllocation& allocation) const {
  const bool is_freed_by_autograd = is_freed(allocation) && gone_in(allocation).phase == Phase::backward;
  if (!is_freed_by_autograd && allocation.stack_class == StackClass::kv_cache) return by_frames(MemoryKind::kv_cache);
  const KindOf kind = kind_of_forward(allocation);
  const auto cat = known_.cats.find(allocation.stack);
  const bool is_cache = cat != known_.cats.end() && cat->second.is_cache();
  return is_cache && kind.kind != MemoryKind::activation ? by_behaviour(MemoryKind::kv_cache) : kind;
}

/// Computed outside modules from a batch, before the forward pass that uses it, and freed one step later.
bool DeviceKinds::is_prepared_input(const RecordedAllocation& allocation) const {
  const PhaseRun& made = made_in(allocation);
  const PhaseRun& gone = gone_in(allocation);
  if (allocation.stack_class != StackClass::forward || made.phase != Phase::before || gone.first == made.first)
    return false;
  if (gone.epoch > made.epoch + 1 || !known_.phases.is_before_forward(made)) return false;
  return is_freed(allocation) ? gone.phase != Phase::backward : !known_.phases.is_first(made);
}

KindOf DeviceKinds::kind_of_forward(const RecordedAllocation& allocation) const {
  if (is_resident_parameter(allocation) || is_layer_weight(allocation)) return by_behaviour(MemoryKind::parameter);
  if (!is_freed(allocation)) return kind_of_unfinished_forward(allocation);
  const PhaseRun& made = made_in(allocation);
  const PhaseRun& gone = gone_in(allocation);
  if (gone.phase == Phase::backward && made.phase != Phase::backward) {
    if (is_output(allocation)) return {};
    const bool is_kept = gone.epoch == made.epoch || is_freed_within(allocation);
    return is_kept ? by_behaviour(MemoryKind::activation) : KindOf{};
  }
  if (is_prepared_input(allocation)) return by_behaviour(MemoryKind::input);
  if (gone.epoch != made.epoch) return {};
  if (gone.first == made.first && gone.phase == Phase::forward) {
    const KindOf kind = kind_of_released(allocation);
    if (kind.kind != MemoryKind::unknown) return kind;
  }
  // Without a backward pass after it, a forward pass has no end: memory that a server keeps for hours is not temporary.
  const bool has_ended = last_.first != made.first;
  return has_ended && gone.phase == made.phase ? by_behaviour(MemoryKind::temporary) : KindOf{};
}

/// The graph of its pass was released without a backward pass, and it with the graph or before.
KindOf DeviceKinds::kind_of_released(const RecordedAllocation& allocation) const {
  const EventIndex made = allocation.history.alloc_event;
  const EventIndex gone = allocation.history.free_event;
  if (const PassRelease* const release = known_.releases.at(gone)) {
    if (made < release->first || !is_called(allocation.stack_class)) return {};
    const bool is_last_temporary = made >= release->first_of_latest && met(allocation, Fate::in_its_phase);
    return by_behaviour(is_last_temporary ? MemoryKind::temporary : MemoryKind::activation);
  }
  return known_.releases.is_within_pass(made, gone) ? by_behaviour(MemoryKind::temporary) : KindOf{};
}

/// The recording ends before it was freed, or an exception freed it.
KindOf DeviceKinds::kind_of_unfinished_forward(const RecordedAllocation& allocation) const {
  const PhaseRun& made = made_in(allocation);
  const PhaseRun& gone = gone_in(allocation);
  // Memory that outlives its backward pass is kept for another purpose.
  if (gone.epoch != made.epoch) return {};
  if (is_prepared_input(allocation)) return by_behaviour(MemoryKind::input);
  const bool was_temporary = met(allocation, Fate::in_its_phase);
  const bool was_activation = met(allocation, Fate::in_backward) || met(allocation, Fate::with_pass);
  const bool was_left = met(allocation, Fate::later);
  if (is_output(allocation) || (was_left && !was_activation)) return {};
  if (was_activation && !was_temporary && !was_left) return by_behaviour(MemoryKind::activation);
  if (!is_called(allocation.stack_class)) return {};
  const Failure* const failure = failure_of(allocation);
  const CalledBytes& called = failure == nullptr ? known_.called : failure->called;
  if (allocation.history.alloc_event < called.first) return {};
  if (was_temporary && !was_activation && allocation.history.alloc_event >= called.first_of_latest()) return {};
  return gone.phase == Phase::backward || called.keeps_for_backward() ? by_behaviour(MemoryKind::activation) : KindOf{};
}

} // namespace memviz
