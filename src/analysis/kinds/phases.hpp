#pragma once

// Allocations in the order of events -> when the program was in which phase of training.

#include "analysis/kinds/stack_class.hpp"
#include "memviz/event_index.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

/// `before`: until a forward pass begins, when batches are copied and models are made.
enum class Phase : std::uint8_t { before, forward, backward, optimizer };

/// A run of one phase, from `first` on. An epoch ends where a backward pass does.
struct PhaseRun {
  EventIndex first;
  Phase phase = Phase::before;
  std::uint32_t epoch = 0;
  std::uint32_t batches = 0; ///< batches copied before it or in it
  EventIndex last;           ///< allocation by a stack of this phase
  /// A point of a backward pass: in the middle of the events of its forward pass, and the last allocation before
  /// autograd freed memory of the first quarter of these.
  EventIndex middle = kLastPossibleEvent;
  EventIndex nearly_over = kLastPossibleEvent;
};

class Phases {
public:
  /// Records that event `event` is an allocation by a stack of `stack_class`; classes of any phase change nothing.
  /// Returns whether it begins a run.
  bool allocated(EventIndex event, StackClass stack_class);
  [[nodiscard]] const PhaseRun& now() const { return runs_.back(); }
  [[nodiscard]] PhaseRun& now() { return runs_.back(); }
  /// Returns the run before now(), if allocated() has begun one.
  [[nodiscard]] const PhaseRun& previous() const { return runs_[runs_.size() - 2]; }
  /// Whether no forward pass, backward pass or step comes before `run`.
  [[nodiscard]] bool is_first(const PhaseRun& run) const { return run.first == runs_.front().first; }
  /// Whether there was a backward pass or an optimizer's step.
  [[nodiscard]] bool has_trained() const;
  /// Whether there was a backward pass, or a part of one.
  [[nodiscard]] bool has_backward() const;
  /// Whether a forward pass comes next after `run`.
  [[nodiscard]] bool is_before_forward(const PhaseRun& run) const;
  /// Returns the run that `event` is in.
  [[nodiscard]] const PhaseRun& at(EventIndex event) const;
  /// Whether there were so many changes that later ones are unknown, which no training reaches.
  [[nodiscard]] bool is_overflowed() const { return is_overflowed_; }

private:
  std::vector<PhaseRun> runs_{PhaseRun{}};
  bool is_overflowed_ = false;
};

} // namespace memviz
