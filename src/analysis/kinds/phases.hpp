#pragma once

// Allocations in the order of events -> when the program was in which phase of training.

#include "analysis/kinds/stack_class.hpp"
#include "memviz/event_index.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

/// `before`: until a forward pass begins, when batches are copied and models are made.
enum class Phase : std::uint8_t { before, forward, backward, optimizer };

/// From `first` on. An epoch ends where a backward pass does.
struct PhaseRun {
  EventIndex first;
  Phase phase = Phase::before;
  std::uint32_t epoch = 0;
  std::uint32_t batches = 0; ///< the number of batches copied before it or in it
  EventIndex last;           ///< allocation by a stack of this phase
  /// A point of a backward pass: in the middle of the events of its forward pass, and the last allocation before
  /// autograd freed what the first quarter of these had made.
  EventIndex middle = kLastPossibleEvent;
  EventIndex nearly_over = kLastPossibleEvent;
};

class Phases {
public:
  /// An allocation by a stack of `stack_class` is event `event`; those that can be of any phase change nothing. Whether
  /// it begins a run.
  bool allocated(EventIndex event, StackClass stack_class);
  [[nodiscard]] const PhaseRun& now() const { return runs_.back(); }
  [[nodiscard]] PhaseRun& now() { return runs_.back(); }
  /// The run before now(), where allocated() has begun one.
  [[nodiscard]] const PhaseRun& previous() const { return runs_[runs_.size() - 2]; }
  /// Whether no forward pass, backward pass or step comes before `run`.
  [[nodiscard]] bool is_first(const PhaseRun& run) const { return run.first == runs_.front().first; }
  /// Whether a forward pass comes next after `run`.
  [[nodiscard]] bool is_before_forward(const PhaseRun& run) const;
  /// The one that `event` falls into.
  [[nodiscard]] const PhaseRun& at(EventIndex event) const;
  /// Whether there were so many changes that the later ones are not known: no training has them.
  [[nodiscard]] bool is_overflowed() const { return is_overflowed_; }

private:
  std::vector<PhaseRun> runs_{PhaseRun{}};
  bool is_overflowed_ = false;
};

} // namespace memviz
