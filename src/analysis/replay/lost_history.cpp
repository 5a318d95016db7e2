#include "memviz/lost_history.hpp"

#include <algorithm>

namespace memviz {

RingState ring_state(const Recording& recording, const EventCounts& counts) {
  const bool has_room = recording.trace_max_entries && counts.events < *recording.trace_max_entries;
  if (has_room || recording.trace_overflowed == false) return RingState::not_full;
  return recording.trace_overflowed ? RingState::full : RingState::unknown;
}

std::optional<LostHistory> lost_history(const Recording& recording, const DeviceFigures& figures) {
  const std::uint64_t unexplained = figures.unmatched_frees + figures.unexplained_blocks;
  LostHistory lost;
  lost.ring = ring_state(recording, figures);
  const bool is_proven = figures.unexplained_with_stack > 0 || (lost.ring == RingState::full && unexplained > 0);
  if (figures.events == 0 || !figures.balanced() || !is_proven) return std::nullopt;
  lost.least_max_entries = figures.events + std::max<std::uint64_t>(figures.unexplained_with_stack, 1);
  lost.least_for_all = figures.events + unexplained;
  return lost;
}

} // namespace memviz
