#pragma once

// A KindWatch's facts about a device, and the life of an allocation -> its kind. The result does not depend on the
// moment in question, so all commands agree.

#include "analysis/kinds/kind_watch.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>

namespace memviz {

/// An allocation, and when it was made and freed, as far as that is recorded.
struct RecordedAllocation {
  StackId stack;
  StackClass stack_class = StackClass::none;
  KindOf declared; ///< set by a rule or the program; unknown: by neither
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  BlockHistory history;
};

class DeviceKinds {
public:
  using OfDevice = KindWatch::Known::OfDevice;
  /// `known` must outlive this object.
  explicit DeviceKinds(const OfDevice& known)
      : known_(known), last_(known.phases.now()), old_per_gradient_(known.sizes.old_per_gradient()) {}

  [[nodiscard]] KindOf kind_of(const RecordedAllocation& allocation) const;

private:
  [[nodiscard]] const PhaseRun& made_in(const RecordedAllocation& allocation) const;
  [[nodiscard]] const PhaseRun& gone_in(const RecordedAllocation& allocation) const;
  [[nodiscard]] const Failure* failure_of(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_freed(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_freed_within(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_prepared_input(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_output(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_reduced(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_parameter_size(std::uint64_t bytes) const;
  [[nodiscard]] bool met(const RecordedAllocation& allocation, Fate fate) const;

  [[nodiscard]] KindOf kind_of_old(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_old_freed(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_resident_parameter(const RecordedAllocation& allocation) const;
  [[nodiscard]] bool is_layer_weight(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_checkpoint(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_zeros(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_cache(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_copy(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_backward(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_reduction(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_unfinished_backward(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_optimizer(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_forward(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_released(const RecordedAllocation& allocation) const;
  [[nodiscard]] KindOf kind_of_unfinished_forward(const RecordedAllocation& allocation) const;

  const OfDevice& known_;
  const PhaseRun& last_;
  std::uint64_t old_per_gradient_;
};

} // namespace memviz
