#pragma once

// Blocks in use and the events before them -> the memory that earlier calls of one line have left, call after call.

#include "analysis/calls/live_block.hpp"
#include "memviz/events.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace memviz {

/// The events of a device up to the moment, and the blocks in use there.
struct LiveHistory {
  const EventTable& events;
  std::size_t event_count = 0;
  std::span<const LiveBlock> blocks; ///< as live_blocks() returns them
  /// Whether a request failed at the moment. Else a few calls prove nothing, and outputs count as kept only if calls
  /// that keep them go on to the end of the recording: a cache that is filled once does not.
  bool has_failed = true;
};

struct KeptCalls {
  std::vector<Cause> causes;                ///< kept_graphs, kept_outputs and made_at_once, each of all lines together
  std::unordered_set<std::uint64_t> blocks; ///< the addresses of what earlier calls left
  std::vector<EventIndex> backward;         ///< the allocations of backward passes, in their order
};

/// Finds what earlier calls hold. A call of a line is a run of allocations that no other line interrupts, so calls may
/// be fewer than the program's.
[[nodiscard]] KeptCalls kept_calls(const LiveHistory& history, CallLineFinder& finder);

/// A cause is named from this part of the memory in use, one in so many.
inline constexpr std::uint64_t kLeastPartOfCause = 10;

/// Returns the kept_graphs and kept_outputs that are worth naming at the state's moment, the largest first. This is the
/// rule by which explain() and find_leaks() call memory of earlier passes kept; what is freed later in the recording is
/// not. Empty without kinds.
[[nodiscard]] std::vector<Cause> kept_at_moment(const MemoryState& state, const DeviceState& device_state,
                                                CallLineFinder& finder);

} // namespace memviz
