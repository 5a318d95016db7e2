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
  explicit DeviceKinds(const OfDevice& known) : known_(known), old_per_gradient_(known.sizes.old_per_gradient()) {}

  [[nodiscard]] KindOf kind_of(const RecordedAllocation& allocation) const;

private:
  const OfDevice& known_;
  std::uint64_t old_per_gradient_;
};

} // namespace memviz
