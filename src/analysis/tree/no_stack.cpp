#include "analysis/tree/no_stack.hpp"

#include "memviz/label.hpp"

#include <algorithm>

namespace memviz {

NoStackReasons::NoStackReasons(const Snapshot& snapshot, const Replay& replay) : snapshot_(snapshot), replay_(replay) {
  const bool has_events = std::any_of(snapshot.event_counts.begin(), snapshot.event_counts.end(),
                                      [](std::uint64_t count) { return count > 0; });
  const FrameTable& frames = snapshot.frames;
  is_history_off_ = !has_events && frames.frame_count() == 0;
  for (std::uint32_t i = 0; i < frames.frame_count() && !has_cpp_frames_; ++i)
    has_cpp_frames_ = origin_of(frames.filename({i})) == CodeOrigin::cpp;
}

Pseudo NoStackReasons::reason(std::uint32_t device, std::uint32_t block) const {
  if (!is_history_off_ && replay_.block_is_explained[block]) return Pseudo::without_stack;
  const Pseudo reason = unexplained(device);
  return reason == Pseudo::lost_or_before && is_from_before(device) ? Pseudo::before_recording : reason;
}

Pseudo NoStackReasons::unexplained(std::uint32_t device) const {
  if (is_history_off_) return Pseudo::history_off;
  if (snapshot_.trace_overflowed) {
    return *snapshot_.trace_overflowed ? Pseudo::lost_or_before : Pseudo::before_recording;
  }
  // Without the flag (before 2026), frees of unknown allocations are the only sign of a ring that overflowed.
  const DeviceStats* stats = stats_of(device);
  return stats != nullptr && stats->unmatched_frees > 0 ? Pseudo::lost_or_before : Pseudo::before_recording;
}

/// A block keeps the stack of its allocation even where the ring has lost the event. So where stacks are recorded, a
/// block that is still there at the end and has none was allocated before recording. Only C++ frames show that stacks
/// are recorded of every allocation: those of the backward pass have no Python frames.
bool NoStackReasons::is_from_before(std::uint32_t device) const {
  const DeviceStats* stats = stats_of(device);
  return has_cpp_frames_ && stats != nullptr && stats->at.is_end() && stats->allocs > 0 &&
         stats->allocs_without_stack == 0;
}

const DeviceStats* NoStackReasons::stats_of(std::uint32_t device) const {
  const auto stats = std::find_if(replay_.devices.begin(), replay_.devices.end(),
                                  [&](const DeviceStats& candidate) { return candidate.device == device; });
  return stats == replay_.devices.end() ? nullptr : &*stats;
}

} // namespace memviz
