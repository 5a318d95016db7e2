#include "memviz/kinds.hpp"

#include "analysis/kinds/kind_watch.hpp"
#include "analysis/kinds/stack_class.hpp"

#include <algorithm>
#include <map>

namespace memviz {

namespace {

using Known = KindWatch::Known;

constexpr KindOf by_frames(MemoryKind kind) {
  return {kind, KindEvidence::frames};
}
constexpr KindOf by_behaviour(MemoryKind kind) {
  return {kind, KindEvidence::behaviour};
}

/// An allocation, and when it was made and freed, as far as that is recorded.
struct Lived {
  StackId stack;
  StackClass stack_class = StackClass::none;
  std::uint64_t bytes = 0;
  BlockHistory history;
};

/// The kinds of the blocks of one device.
class KindsOfDevice {
public:
  explicit KindsOfDevice(const Known::OfDevice& known) : known_(known), last_(known.phases.now()) {}

  /// Before kind_of(): what tells the sizes of parameters.
  void look_at(const Lived& lived) {
    if (lived.stack_class == StackClass::parameter) ++parameters_[lived.bytes];
    if (!lived.history.is_explained() && lived.history.is_kept) {
      if (lived.stack_class == StackClass::accumulate_grad) ++gradients_before_[lived.bytes];
      if (may_be_parameter(lived)) ++kept_before_[lived.bytes];
    }
    if (is_left_by_backward(lived)) left_[lived.bytes].add(made_in(lived).epoch);
  }

  [[nodiscard]] KindOf kind_of(const Lived& lived) const {
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
    case StackClass::forward: return kind_of_forward(lived);
    default: return {};
    }
  }

private:
  [[nodiscard]] const PhaseRun& made_in(const Lived& lived) const {
    return known_.phases.at(lived.history.alloc_event);
  }
  [[nodiscard]] bool is_freed(const Lived& lived) const { return !lived.history.free_event.is_none(); }
  /// The last one where it is still there at the end.
  [[nodiscard]] const PhaseRun& gone_in(const Lived& lived) const {
    return is_freed(lived) ? known_.phases.at(lived.history.free_event) : last_;
  }
  [[nodiscard]] bool is_left_by_backward(const Lived& lived) const {
    const bool is_of_backward =
        lived.stack_class == StackClass::backward || lived.stack_class == StackClass::accumulate_grad;
    if (!is_of_backward || !lived.history.is_explained()) return false;
    return gone_in(lived).epoch > made_in(lived).epoch || is_freed_behind(lived);
  }
  /// Freed when its backward pass had made all that it made, and before anything else was made: by zero_grad(), behind
  /// an optimizer that takes no memory.
  [[nodiscard]] bool is_freed_behind(const Lived& lived) const {
    if (!is_freed(lived)) return false;
    const PhaseRun& gone = gone_in(lived);
    return gone.first == made_in(lived).first && gone.first != last_.first && lived.history.free_event > gone.last;
  }
  [[nodiscard]] std::uint64_t gradients_at_once(std::uint64_t bytes) const {
    const auto freed = known_.gradients.find(bytes);
    const auto left = left_.find(bytes);
    const auto before = gradients_before_.find(bytes);
    return std::max({freed == known_.gradients.end() ? 0 : freed->second.most,
                     left == left_.end() ? 0 : left->second.most,
                     before == gradients_before_.end() ? 0 : before->second});
  }
  /// As far as its frames tell.
  [[nodiscard]] static bool may_be_parameter(const Lived& lived) {
    const StackClass of = lived.stack_class;
    return of == StackClass::none || of == StackClass::parameter || of == StackClass::forward || of == StackClass::copy;
  }
  /// Older than the events, and there to the end: of a size of which there are as many as gradients, parameters. Of an
  /// optimizer's state there are several for each.
  [[nodiscard]] KindOf kind_of_old(const Lived& lived) const {
    if (lived.stack_class == StackClass::accumulate_grad) return by_frames(MemoryKind::gradient);
    if (!may_be_parameter(lived)) return {};
    const std::uint64_t gradients = gradients_at_once(lived.bytes);
    const auto count = kept_before_.find(lived.bytes);
    return gradients > 0 && count->second == gradients ? by_behaviour(MemoryKind::parameter) : KindOf{};
  }

  [[nodiscard]] KindOf kind_of_backward(const Lived& lived) const {
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

  [[nodiscard]] KindOf kind_of_optimizer(const Lived& lived) const {
    const PhaseRun& made = made_in(lived);
    const PhaseRun& gone = gone_in(lived);
    if (gone.first == made.first) return is_freed(lived) ? by_behaviour(MemoryKind::temporary) : KindOf{};
    return gone.epoch > made.epoch ? by_behaviour(MemoryKind::optimizer_state) : KindOf{};
  }

  [[nodiscard]] KindOf kind_of_forward(const Lived& lived) const {
    const PhaseRun& made = made_in(lived);
    if (made.phase != Phase::forward) return {};
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

  /// Whether others of its stack and size had this fate.
  [[nodiscard]] bool had(const Lived& lived, Fate fate) const {
    return known_.fates.has(lived.stack, lived.bytes, fate);
  }

  const Known::OfDevice& known_;
  const PhaseRun& last_;
  std::map<std::uint64_t, std::uint64_t> parameters_;  ///< how many of each size their stacks name
  std::map<std::uint64_t, std::uint64_t> kept_before_; ///< how many of each size are older than the events and stay
  std::map<std::uint64_t, std::uint64_t> gradients_before_; ///< the same, of what AccumulateGrad made
  std::map<std::uint64_t, GradientCount> left_;             ///< gradients that are there at the moment
};

Lived lived_of(const MemoryState& state, std::uint32_t block, StackClasses& classes, bool has_cpp_frames) {
  const StackId stack = state.blocks[block].stack;
  StackClass stack_class = classes.of(stack);
  if (state.histories[block].is_explained()) stack_class = class_where_recorded(stack_class, has_cpp_frames);
  return {stack, stack_class, state.blocks[block].requested_bytes, state.histories[block]};
}

template <class Visit> void for_each_active(const MemoryState& state, DeviceId device, Visit&& visit) {
  for (const Segment& segment : state.segments_of(device))
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (state.blocks[i].is_active()) visit(i);
}

} // namespace

std::vector<KindOf> kinds_of(const MemoryState& state, const KindWatch& watch) {
  static const Known::OfDevice no_events;
  std::vector<KindOf> kinds(state.blocks.size());
  StackClasses classes(state.frames());
  const bool has_cpp_frames = watch.known().classes && watch.known().classes->has_cpp_frames();
  for (const DeviceStats& stats : state.devices) {
    const auto known = watch.known().devices.find(stats.device);
    KindsOfDevice device(known == watch.known().devices.end() ? no_events : known->second);
    for_each_active(state, stats.device,
                    [&](std::uint32_t block) { device.look_at(lived_of(state, block, classes, has_cpp_frames)); });
    for_each_active(state, stats.device, [&](std::uint32_t block) {
      kinds[block] = device.kind_of(lived_of(state, block, classes, has_cpp_frames));
    });
  }
  return kinds;
}

KindAccount kind_account(const MemoryState& state, std::optional<DeviceId> device) {
  KindAccount account;
  for (const DeviceStats& stats : state.stats_of(device)) {
    for_each_active(state, stats.device, [&](std::uint32_t block) {
      const std::uint64_t bytes = state.blocks[block].requested_bytes;
      KindAmount& amount = account[static_cast<std::size_t>(state.kinds[block].kind)];
      amount.bytes += bytes;
      ++amount.blocks;
      if (state.kinds[block].evidence == KindEvidence::frames) amount.frames_bytes += bytes;
      if (state.kinds[block].evidence == KindEvidence::behaviour) amount.behaviour_bytes += bytes;
    });
    account[static_cast<std::size_t>(MemoryKind::unknown)].bytes += stats.outside_bytes;
  }
  return account;
}

} // namespace memviz
