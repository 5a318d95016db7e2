#pragma once

// MemoryState -> its reserved memory by where PyTorch keeps it: memory of one stream or one private pool is of no use
// to another.

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

/// All places of `only_device`, or of all devices, that hold a segment, by device, pool and stream; empty where there
/// are no segments. Their reserved bytes add up to those of the device, or of the snapshot.
[[nodiscard]] std::vector<Place> places_of(const MemoryState& state, std::optional<DeviceId> only_device = {});

} // namespace memviz
