#pragma once

// MemoryState -> its reserved memory by the place where PyTorch keeps it: one stream or private pool cannot use
// another's memory.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// The segments of one device, pool and stream.
struct Place {
  DeviceId device;
  PoolId pool;
  std::int64_t stream = 0;
  MemoryTotals totals;
};

/// Returns all places of `only_device`, or of all devices, that hold a segment, by device, pool and stream; empty if
/// there are no segments. Their reserved bytes add up to those of the device, or of the snapshot.
[[nodiscard]] std::vector<Place> places_of(const MemoryState& state, std::optional<DeviceId> only_device = {});

} // namespace memviz
