#pragma once

// The accounts of a device -> how much its events do not cover, although recording was on. The trace is a ring of
// max_entries events: older ones are overwritten, and the file does not record how many. A block keeps the stack of its
// allocation outside the ring, so a block with a stack and without a recorded alloc proves a loss.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

enum class RingState : std::uint8_t {
  unknown,  ///< files before 2026 do not record it
  full,     ///< the file says that events were overwritten
  not_full, ///< the file says that none were: missing events were recorded before recording was restarted
};

/// The file's flag applies to all devices together, its max_entries to each.
[[nodiscard]] RingState ring_state(const Recording& recording, const EventCounts& counts);

struct LostHistory {
  RingState ring = RingState::unknown;
  /// The smallest max_entries with which the ring could have held the events there are and the allocs that are proven
  /// to be lost: one event for each. The true number is at least this, and no file shows it.
  std::uint64_t least_max_entries = 0;
  /// The same, if everything without a recorded alloc was allocated while recording was on.
  std::uint64_t least_for_all = 0;
};

/// Returns nullopt if no loss is proven, if nothing lacks its alloc, or if the accounts do not balance: then events are
/// missing for another reason.
[[nodiscard]] std::optional<LostHistory> lost_history(const Recording& recording, const DeviceFigures& figures);

} // namespace memviz
