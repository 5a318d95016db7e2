#include "analysis/tree/no_stack.hpp"

#include "analysis/tree/text_facts.hpp"
#include "memviz/label.hpp"

#include <algorithm>

namespace memviz {

NoStackReasons::NoStackReasons(const MemoryState& state) : state_(state) {
  const bool has_events =
      std::ranges::any_of(state.recording->event_counts, [](const auto& counted) { return counted.second > 0; });
  const FrameTable& frames = state.frames();
  is_history_off_ = !has_events && frames.frame_count() == 0;
  TextFacts<CodeOrigin> origins(frames, origin_of);
  for (std::uint32_t i = 0; i < frames.frame_count() && !has_cpp_frames_; ++i)
    has_cpp_frames_ = origins.of(frames.frame({i}).filename) == CodeOrigin::cpp;
}

Pseudo NoStackReasons::reason(DeviceId device, std::uint32_t block) const {
  if (!is_history_off_ && state_.facts[block].history.is_explained()) return Pseudo::without_stack;
  return unexplained(device, state_.facts[block].history.is_kept);
}

/// A block keeps the stack of its allocation even if the ring has lost the event: one in the file without a stack was
/// allocated before recording.
Pseudo NoStackReasons::unexplained(DeviceId device, bool is_kept) const {
  if (is_history_off_) return Pseudo::history_off;
  const DeviceState* device_state = state_.device_at(device);
  if (device_state == nullptr || !device_state->figures.may_have_lost_events) return Pseudo::before_recording;
  return is_kept && are_stacks_recorded(device) ? Pseudo::before_recording : Pseudo::lost_or_before;
}

Pseudo NoStackReasons::reason(DeviceId device, const OutsideMemory& outside) const {
  if (outside.is_only_counted) return Pseudo::only_counted;
  return !outside.alloc_event.is_none() ? Pseudo::without_stack : unexplained(device, false);
}

/// Only C++ frames prove that every allocation is recorded with a stack: those of the backward pass have no Python
/// frames.
bool NoStackReasons::are_stacks_recorded(DeviceId device) const {
  const DeviceState* device_state = state_.device_at(device);
  return has_cpp_frames_ && device_state != nullptr && device_state->figures.allocs > 0 &&
         device_state->figures.allocs_without_stack == 0;
}

} // namespace memviz
