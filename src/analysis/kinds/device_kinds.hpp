#pragma once

// The knowledge of a KindWatch about a device, and the life of an allocation -> its kind. The moment that is looked at
// makes no difference, so that every command gives one answer.

#include "analysis/kinds/kind_watch.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>

namespace memviz {

/// An allocation, and when it was made and freed, as far as that is recorded.
struct Lived {
  StackId stack;
  StackClass stack_class = StackClass::none;
  KindOf declared; ///< set by a rule or the program; unknown: neither sets it
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  BlockHistory history;
};

class DeviceKinds {
public:
  using OfDevice = KindWatch::Known::OfDevice;
  /// `known` must outlive this.
  explicit DeviceKinds(const OfDevice& known)
      : known_(known), last_(known.phases.now()), old_per_gradient_(known.sizes.old_per_gradient()) {}

  [[nodiscard]] KindOf kind_of(const Lived& lived) const;

private:
  [[nodiscard]] const PhaseRun& made_in(const Lived& lived) const;
  [[nodiscard]] const PhaseRun& gone_in(const Lived& lived) const;
  [[nodiscard]] const Failure* failure_of(const Lived& lived) const;
  [[nodiscard]] bool is_freed(const Lived& lived) const;
  [[nodiscard]] bool is_freed_within(const Lived& lived) const;
  [[nodiscard]] bool is_prepared_input(const Lived& lived) const;
  [[nodiscard]] bool is_output(const Lived& lived) const;
  [[nodiscard]] bool is_reduced(const Lived& lived) const;
  [[nodiscard]] bool is_parameter_size(std::uint64_t bytes) const;
  [[nodiscard]] bool had(const Lived& lived, Fate fate) const;

  [[nodiscard]] KindOf kind_of_old(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_old_freed(const Lived& lived) const;
  [[nodiscard]] bool is_resident_parameter(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_checkpoint(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_zeros(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_cache(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_copy(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_backward(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_reduction(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_unfinished_backward(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_optimizer(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_forward(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_unfinished_forward(const Lived& lived) const;

  const OfDevice& known_;
  const PhaseRun& last_;
  std::uint64_t old_per_gradient_;
};

} // namespace memviz
