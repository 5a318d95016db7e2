#include "analysis/kinds/device_kinds.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace memviz {

namespace {

/// An allocation among those of its device: what the rules below ask for.
struct Facts {
  const RecordedAllocation& allocation;
  const DeviceKinds::OfDevice& known;
  std::uint64_t old_per_gradient;
  const EventIndex alloc_event = allocation.history.alloc_event;
  const EventIndex free_event = allocation.history.free_event;
  const PhaseRun& last = known.phases.now();
  /// The run that made it; that of the last event if it is older than the events.
  const PhaseRun& made = alloc_event.is_none() ? last : known.phases.at(alloc_event);
  /// The run that freed it, by an exception too; that of the last event if it still exists at the end.
  const PhaseRun& gone = free_event.is_none() ? last : known.phases.at(free_event);
  /// The failure whose exception freed it, or null.
  const FailedAllocation* failure = free_event.is_none() ? nullptr : known.unwound_by(free_event);
  bool is_freed = !free_event.is_none() && failure == nullptr; ///< by the program

  [[nodiscard]] bool is(StackClass stack_class) const { return allocation.stack_class == stack_class; }
  [[nodiscard]] bool is_in_one_run() const { return gone.first == made.first; }
  [[nodiscard]] bool is_in_one_epoch() const { return gone.epoch == made.epoch; }
  /// Whether others of its stack and size had this fate.
  [[nodiscard]] bool met(Fate fate) const { return known.fates.has(allocation.stack, allocation.bytes, fate); }
  [[nodiscard]] bool were_temporary() const { return met(Fate::in_its_phase); }
  [[nodiscard]] bool were_left() const { return met(Fate::later); }
  [[nodiscard]] bool were_activations() const { return met(Fate::in_backward) || met(Fate::with_pass); }
  [[nodiscard]] const SizeFacts& sizes() const { return known.sizes.of(allocation.bytes); }
  [[nodiscard]] bool is_parameter_size() const { return sizes().has_parameters(); }
  /// Whether it was freed before the last allocation of that phase: in a backward pass by autograd, not by later code.
  [[nodiscard]] bool is_freed_within() const { return is_freed && free_event < gone.last; }

  /// Whether it has the size of a whole parameter, and was freed where FSDP or ZeRO has copied it into the buffer of a
  /// reduction.
  [[nodiscard]] bool is_reduced() const { return is_freed && is_parameter_size() && known.is_in_reduction(free_event); }

  /// Whether it is one of the weights of repeated layers, in a recording without gradients.
  [[nodiscard]] bool is_layer_weight() const {
    return free_event.is_none() && std::ranges::binary_search(known.layer_weights, allocation.address);
  }

  /// Whether it was made before the first forward pass and outlived it, and is, together with those that frames name,
  /// one of as many of its size as there are gradients.
  [[nodiscard]] bool is_resident_parameter() const {
    const SizeFacts& facts = sizes();
    const std::uint64_t gradients = facts.gradients_at_once();
    return gradients != 0 && facts.residents != 0 &&
           facts.parameters - facts.placeholders + facts.residents == gradients && known.phases.is_first(made) &&
           !is_in_one_run();
  }

  /// Whether its address distinguishes it from other memory older than the events, of the same size.
  [[nodiscard]] bool is_placed_as(MemoryKind kind) const {
    const auto copy = std::ranges::lower_bound(known.old_copies, allocation.address, {}, &OldCopy::address);
    return copy != known.old_copies.end() && *copy == OldCopy{allocation.address, kind};
  }

  [[nodiscard]] bool is_copy_of_weights() const {
    if (!is(StackClass::copy) || !known.phases.is_first(made)) return false;
    const auto copies = known.copies.find(allocation.stack);
    return copies != known.copies.end() && copies->second.are_weights();
  }

  /// Whether its backward pass was nearly over and had not freed it.
  [[nodiscard]] bool is_output() const {
    return DeviceKinds::OfDevice::is_left_by(gone, alloc_event, free_event.is_none() ? kLastPossibleEvent : free_event);
  }

  /// Whether it was computed outside modules from a batch, before the forward pass that uses it, and freed one step
  /// later.
  [[nodiscard]] bool is_prepared_input() const {
    if (!is(StackClass::forward) || made.phase != Phase::before || is_in_one_run()) return false;
    if (gone.epoch > made.epoch + 1 || !known.phases.is_before_forward(made)) return false;
    return is_freed ? gone.phase != Phase::backward : !known.phases.is_first(made);
  }

  /// Whether a backward pass frees what was made before it.
  [[nodiscard]] bool is_for_backward() const { return gone.phase == Phase::backward && made.phase != Phase::backward; }

  /// Returns the release, without a backward pass, of the graph of the forward pass that made and freed it; or null.
  [[nodiscard]] const PassRelease* release() const {
    if (!is_in_one_run() || gone.phase != Phase::forward || !is_called(allocation.stack_class)) return nullptr;
    const PassRelease* const found = known.releases.at(free_event);
    return found != nullptr && alloc_event >= found->first ? found : nullptr;
  }

  /// Whether it was freed within a forward pass whose graph was released later.
  [[nodiscard]] bool is_freed_before_release() const {
    return is_in_one_run() && gone.phase == Phase::forward && known.releases.at(free_event) == nullptr &&
           known.releases.is_within_pass(alloc_event, free_event);
  }

  /// The allocations of the forward pass that the recording, or a failure, ends.
  [[nodiscard]] const CalledBytes& called() const { return failure == nullptr ? known.called : failure->called; }

  /// Whether the backward pass that made it is over: not ended by the recording or a failure.
  [[nodiscard]] bool is_after_backward() const {
    return made.first != last.first && (gone.epoch > made.epoch || is_freed);
  }
};

/// A row of the tables below, in each of which the first rule that holds decides.
struct KindRule {
  MemoryKind kind;
  KindEvidence evidence;
  bool (*holds)(const Facts&);
};
using enum MemoryKind;
constexpr auto kFrames = KindEvidence::frames;
constexpr auto kBehaviour = KindEvidence::behaviour;
constexpr auto kNone = KindEvidence::none;

/// Returns the kind of the first rule that holds; unknown if none does.
KindOf first_of(std::span<const KindRule> rules, const Facts& its) {
  for (const KindRule& rule : rules)
    if (rule.holds(its)) return {rule.kind, rule.evidence};
  return {};
}

/// Older than the events, alive to the end, and of a gradient's size. If there are as many as gradients, they are
/// parameters. If there are several for each gradient, they are parameters and an optimizer's state of the same sizes,
/// which only their addresses distinguish. A backward pass after the step that made it shows that it outlives the step;
/// a ring may be too short for a whole one.
constexpr auto kOld = std::to_array<KindRule>({
    {optimizer_state, kBehaviour,
     [](const Facts& its) { return its.is(StackClass::optimizer) && its.known.phases.has_backward(); }},
    {gradient, kFrames, [](const Facts& its) { return its.is(StackClass::accumulate_grad); }},
    {kv_cache, kFrames, [](const Facts& its) { return its.is(StackClass::kv_cache); }},
    {unknown, kNone, [](const Facts& its) { return !may_be_parameter(its.allocation.stack_class); }},
    {parameter, kBehaviour, [](const Facts& its) { return its.is_layer_weight(); }},
    {unknown, kNone,
     [](const Facts& its) { return !its.known.sizes.has_old_copies(its.allocation.bytes, its.old_per_gradient); }},
    {parameter, kBehaviour, [](const Facts& its) { return its.old_per_gradient == 1 || its.is_placed_as(parameter); }},
    {optimizer_state, kBehaviour, [](const Facts& its) { return its.is_placed_as(optimizer_state); }},
    {parameter_or_state, kBehaviour, [](const Facts& /*its*/) { return true; }},
});

/// Older than the events: memory that autograd frees in the first backward pass was kept for it.
constexpr auto kOldFreed = std::to_array<KindRule>({
    {activation, kBehaviour,
     [](const Facts& its) {
       return its.gone.epoch == 0 && its.gone.phase == Phase::backward && its.is_freed_within();
     }},
});

constexpr auto kCopies = std::to_array<KindRule>({
    {parameter, kBehaviour, [](const Facts& its) { return its.is_resident_parameter() || its.is_copy_of_weights(); }},
    {input, kFrames, [](const Facts& /*its*/) { return true; }},
});

/// These are weights if a module takes them unchanged, and copies if it has separate ones. With an optimizer's state
/// among them, there are more than gradients.
constexpr auto kCheckpoints = std::to_array<KindRule>({
    {parameter, kBehaviour,
     [](const Facts& its) {
       return its.sizes().parameters == 0 && its.sizes().gradients_at_once() == 0 && !its.is_freed;
     }},
    {parameter, kBehaviour, [](const Facts& its) { return its.is_resident_parameter(); }},
});

/// Double backward: a pass that is itself differentiated keeps memory that a later one frees. A gradient that is
/// accumulated over batches may be freed where DDP copies it into a bucket. The last temporaries of a pass are freed
/// after its last allocation.
constexpr auto kBackward = std::to_array<KindRule>({
    {gradient, kBehaviour, [](const Facts& its) { return its.is_reduced(); }},
    {activation, kBehaviour,
     [](const Facts& its) {
       const bool is_accumulated = its.made.batches != its.gone.batches && its.is_parameter_size();
       return !its.is_in_one_run() && its.gone.phase == Phase::backward && its.is_freed_within() && !is_accumulated;
     }},
    {gradient, kBehaviour,
     [](const Facts& its) { return !its.is_in_one_run() || (its.is_parameter_size() && !its.were_temporary()); }},
    {temporary, kBehaviour, [](const Facts& /*its*/) { return true; }},
});

/// The recording ends within the backward pass, or a failure does, or before any sign that it is over.
constexpr auto kUnfinishedBackward = std::to_array<KindRule>({
    {gradient, kBehaviour, [](const Facts& its) { return its.is_reduced(); }},
    {temporary, kBehaviour, [](const Facts& its) { return its.is_in_one_run() && its.is_freed_within(); }},
    {temporary, kBehaviour, [](const Facts& its) { return its.were_temporary() && !its.were_left(); }},
    {gradient, kBehaviour, [](const Facts& its) { return its.were_left() && !its.were_temporary(); }},
    {gradient, kBehaviour,
     [](const Facts& its) {
       const bool are_as_many = its.were_left() && its.sizes().unfinished == its.sizes().gradients_at_once();
       return (!its.were_temporary() || are_as_many) && its.is_parameter_size();
     }},
    {temporary, kBehaviour, [](const Facts& its) { return its.is_freed; }},
});

/// Unknown: memory that is live when the step is over, or when it fails.
constexpr auto kOptimizer = std::to_array<KindRule>({
    {optimizer_state, kBehaviour,
     [](const Facts& its) { return !its.is_in_one_run() && its.gone.epoch > its.made.epoch; }},
    {unknown, kNone, [](const Facts& its) { return !its.is_in_one_run(); }},
    {temporary, kBehaviour, [](const Facts& its) { return its.is_freed; }},
    {optimizer_state, kBehaviour, [](const Facts& its) { return !its.were_temporary() && its.failure == nullptr; }},
});

/// Without a backward pass after it, a forward pass has no end: memory that a server keeps for hours is not temporary.
constexpr auto kForward = std::to_array<KindRule>({
    {parameter, kBehaviour, [](const Facts& its) { return its.is_resident_parameter(); }},
    {unknown, kNone, [](const Facts& its) { return its.is_for_backward() && its.is_output(); }},
    {activation, kBehaviour,
     [](const Facts& its) { return its.is_for_backward() && (its.is_in_one_epoch() || its.is_freed_within()); }},
    {input, kBehaviour, [](const Facts& its) { return its.is_prepared_input(); }},
    {unknown, kNone, [](const Facts& its) { return !its.is_in_one_epoch(); }},
    {temporary, kBehaviour,
     [](const Facts& its) {
       const PassRelease* const release = its.release();
       return release != nullptr && its.alloc_event >= release->first_of_latest && its.were_temporary();
     }},
    {activation, kBehaviour, [](const Facts& its) { return its.release() != nullptr; }},
    {temporary, kBehaviour, [](const Facts& its) { return its.is_freed_before_release(); }},
    {temporary, kBehaviour,
     [](const Facts& its) { return its.last.first != its.made.first && its.gone.phase == its.made.phase; }},
});

/// The recording ends before it was freed, or an exception freed it. Memory that outlives its backward pass is kept for
/// another purpose.
constexpr auto kUnfinishedForward = std::to_array<KindRule>({
    {parameter, kBehaviour, [](const Facts& its) { return its.is_resident_parameter() || its.is_layer_weight(); }},
    {unknown, kNone, [](const Facts& its) { return !its.is_in_one_epoch(); }},
    {input, kBehaviour, [](const Facts& its) { return its.is_prepared_input(); }},
    {unknown, kNone, [](const Facts& its) { return its.is_output() || (its.were_left() && !its.were_activations()); }},
    {activation, kBehaviour,
     [](const Facts& its) { return its.were_activations() && !its.were_temporary() && !its.were_left(); }},
    {unknown, kNone,
     [](const Facts& its) { return !is_called(its.allocation.stack_class) || its.alloc_event < its.called().first; }},
    {unknown, kNone,
     [](const Facts& its) {
       return its.were_temporary() && !its.were_activations() && its.alloc_event >= its.called().first_of_latest();
     }},
    {activation, kBehaviour,
     [](const Facts& its) { return its.gone.phase == Phase::backward || its.called().keeps_for_backward(); }},
});

KindOf kind_of_forward(const Facts& its) {
  return its.is_freed ? first_of(kForward, its) : first_of(kUnfinishedForward, its);
}

KindOf kind_of_backward(const Facts& its) {
  return its.is_after_backward() ? first_of(kBackward, its) : first_of(kUnfinishedBackward, its);
}

/// The buffers are freed when the collective is done; what stays is the part of the gradients that this rank keeps.
KindOf kind_of_reduction(const Facts& its) {
  const KindOf kind = kind_of_backward(its);
  return kind.kind == gradient ? kind : KindOf{communication, kFrames};
}

/// An optimizer outside PyTorch: memory that has a parameter's size and survives a backward pass.
KindOf kind_of_zeros(const Facts& its) {
  if (its.is_in_one_epoch()) return kind_of_forward(its);
  return its.is_parameter_size() ? KindOf{optimizer_state, kBehaviour} : KindOf{};
}

/// Keys and values that training keeps are activations.
KindOf kind_of_cache(const Facts& its) {
  const bool is_freed_by_autograd = its.is_freed && its.gone.phase == Phase::backward;
  if (!is_freed_by_autograd && its.is(StackClass::kv_cache)) return {kv_cache, kFrames};
  const KindOf kind = kind_of_forward(its);
  const auto cat = its.known.cats.find(its.allocation.stack);
  const bool is_cache = cat != its.known.cats.end() && cat->second.is_cache();
  return is_cache && kind.kind != activation ? KindOf{kv_cache, kBehaviour} : kind;
}

/// Returns the kind that its life shows, where its frames show only which code made it.
KindOf kind_of_life(const Facts& its) {
  switch (its.allocation.stack_class) {
  case StackClass::accumulate_grad:
  case StackClass::backward: return kind_of_backward(its);
  case StackClass::reduction: return kind_of_reduction(its);
  case StackClass::optimizer: return first_of(kOptimizer, its);
  case StackClass::random:
  case StackClass::copy: return first_of(kCopies, its);
  case StackClass::zeros_like: return kind_of_zeros(its);
  case StackClass::checkpoint: return first_of(kCheckpoints, its);
  case StackClass::cat_call:
  case StackClass::kv_cache: return kind_of_cache(its);
  case StackClass::module_call:
  case StackClass::cast_call:
  case StackClass::forward: return kind_of_forward(its);
  default: return {};
  }
}

} // namespace

KindOf DeviceKinds::kind_of(const RecordedAllocation& allocation) const {
  if (allocation.declared.kind != unknown) return allocation.declared;
  switch (allocation.stack_class) {
  case StackClass::workspace: return {workspace, kFrames};
  case StackClass::communication: return {communication, kFrames};
  case StackClass::parameter: return {parameter, kFrames};
  case StackClass::gradient: return {gradient, kFrames};
  case StackClass::optimizer_state:
  case StackClass::master_copy: return {optimizer_state, kFrames};
  case StackClass::bucket:
    return known_.sizes.of(allocation.bytes).has_parameters() ? KindOf{gradient, kBehaviour}
                                                              : KindOf{communication, kFrames};
  case StackClass::data_loader: return {input, kFrames};
  default: break;
  }
  if (known_.phases.is_overflowed()) return {};
  const Facts its{allocation, known_, old_per_gradient_};
  if (allocation.history.is_explained()) return kind_of_life(its);
  return allocation.history.is_kept ? first_of(kOld, its) : first_of(kOldFreed, its);
}

} // namespace memviz
