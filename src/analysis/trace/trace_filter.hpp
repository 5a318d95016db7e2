#pragma once

// A filter of the events and annotations of a trace.

#include "analysis/trace/allocation_names.hpp"
#include "memviz/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

class TraceSieve {
public:
  /// Throws UsageError for a stack expression that is not RE2. The filter must outlive this object.
  TraceSieve(const TraceFilter& filter, const FrameTable& frames);

  [[nodiscard]] bool wants_device(DeviceId device) const { return !filter_.device || *filter_.device == device; }
  [[nodiscard]] bool wants(DeviceId device, std::uint64_t index, const Event& event,
                           const std::optional<AllocationLife>& life) const;
  /// `next_event`: the index of the event that follows it.
  [[nodiscard]] bool wants(const Annotation& annotation, std::uint64_t next_event) const;

private:
  [[nodiscard]] bool is_at_address(const Event& event, const std::optional<AllocationLife>& life) const;

  const TraceFilter& filter_;
  std::vector<bool> matches_; ///< by stack; empty without a stack expression
};

} // namespace memviz
