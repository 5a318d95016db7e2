#pragma once

// Allocations in the order of events -> when the program was in which phase of training.

#include "analysis/kinds/stack_class.hpp"
#include "memviz/event_index.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

enum class Phase : std::uint8_t { before, forward, backward, optimizer };

/// From `first` on. An epoch ends where a backward pass does.
struct PhaseRun {
  EventIndex first;
  Phase phase = Phase::before;
  std::uint32_t epoch = 0;
  EventIndex last; ///< allocation in it, or `first`
};

class Phases {
public:
  /// An allocation by a stack of `stack_class` is event `event`; those that can be of any phase change nothing.
  void allocated(EventIndex event, StackClass stack_class);
  [[nodiscard]] const PhaseRun& now() const { return runs_.back(); }
  /// The one that `event` falls into.
  [[nodiscard]] const PhaseRun& at(EventIndex event) const;
  /// Whether there were so many changes that the later ones are not known: no training has them.
  [[nodiscard]] bool is_overflowed() const { return is_overflowed_; }

private:
  std::vector<PhaseRun> runs_{PhaseRun{}};
  bool is_overflowed_ = false;
};

} // namespace memviz
