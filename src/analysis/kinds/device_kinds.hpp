#pragma once

// What a KindWatch knows of a device, and the lives of its allocations -> the kind of each.

#include "analysis/kinds/kind_watch.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <map>

namespace memviz {

/// An allocation, and when it was made and freed, as far as that is recorded.
struct Lived {
  StackId stack;
  StackClass stack_class = StackClass::none;
  KindOf told; ///< by a rule or the program; unknown: nobody said it
  std::uint64_t bytes = 0;
  BlockHistory history;
};

class DeviceKinds {
public:
  using OfDevice = KindWatch::Known::OfDevice;
  /// `known` must outlive this.
  explicit DeviceKinds(const OfDevice& known) : known_(known), last_(known.phases.now()) {}

  /// Before kind_of(), each once: what tells the sizes of parameters.
  void look_at(const Lived& lived);
  [[nodiscard]] KindOf kind_of(const Lived& lived) const;

private:
  [[nodiscard]] const PhaseRun& made_in(const Lived& lived) const;
  [[nodiscard]] const PhaseRun& gone_in(const Lived& lived) const;
  [[nodiscard]] bool is_left_by_backward(const Lived& lived) const;
  [[nodiscard]] std::uint64_t gradients_at_once(std::uint64_t bytes) const;
  [[nodiscard]] bool had(const Lived& lived, Fate fate) const;

  [[nodiscard]] KindOf kind_of_old(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_backward(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_optimizer(const Lived& lived) const;
  [[nodiscard]] KindOf kind_of_forward(const Lived& lived) const;

  const OfDevice& known_;
  const PhaseRun& last_;
  std::map<std::uint64_t, std::uint64_t> parameters_;  ///< how many of each size are told, or named by their stacks
  std::map<std::uint64_t, std::uint64_t> kept_before_; ///< how many of each size are older than the events and stay
  std::map<std::uint64_t, GradientCount> left_;        ///< gradients that are still there
};

} // namespace memviz
