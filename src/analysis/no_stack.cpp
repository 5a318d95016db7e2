#include "analysis/no_stack.hpp"

#include <algorithm>

namespace memviz {

NoStackReasons::NoStackReasons(const Snapshot& snapshot, const Replay& replay) : snapshot_(snapshot), replay_(replay) {
  const bool has_events = std::any_of(snapshot.event_counts.begin(), snapshot.event_counts.end(),
                                      [](std::uint64_t count) { return count > 0; });
  is_history_off_ = !has_events && snapshot.frames.frame_count() == 0;
}

Pseudo NoStackReasons::reason(std::uint32_t device, std::uint32_t block) const {
  if (!is_history_off_ && replay_.block_is_explained[block]) return Pseudo::without_stack;
  return unexplained(device);
}

Pseudo NoStackReasons::unexplained(std::uint32_t device) const {
  if (is_history_off_) return Pseudo::history_off;
  if (snapshot_.trace_overflowed) {
    return *snapshot_.trace_overflowed ? Pseudo::lost_or_before : Pseudo::before_recording;
  }
  // Without the flag (before 2026), frees of unknown allocations are the only sign of a ring that overflowed.
  const auto stats = std::find_if(replay_.devices.begin(), replay_.devices.end(),
                                  [&](const DeviceStats& candidate) { return candidate.device == device; });
  const bool has_unmatched = stats != replay_.devices.end() && stats->unmatched_frees > 0;
  return has_unmatched ? Pseudo::lost_or_before : Pseudo::before_recording;
}

} // namespace memviz
