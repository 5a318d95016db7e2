#pragma once

// Events -> what the state at a moment depends on besides the end of the recording. It is little, because an allocation
// that was both made and freed after the moment leaves no trace in it. The moment may move forward while events arrive
// (a new peak, the next oom); then everything remembered for the former one is dropped.

#include "analysis/replay/freed_starts.hpp"
#include "base/number_map.hpp"
#include "memviz/frames.hpp"
#include "memviz/moment.hpp"
#include "memviz/replay.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

/// An event in 32 bits.
[[nodiscard]] constexpr std::uint64_t event_bits(EventIndex event) {
  return std::min<std::uint64_t>(event.count(), 0xFFFFFFFF);
}
[[nodiscard]] constexpr EventIndex event_of_bits(std::uint64_t bits) {
  return EventIndex::last_of(bits & 0xFFFFFFFF);
}

/// The alloc of a live allocation, in the 64 bits of a NumberMap's value.
struct Birth {
  EventIndex event; ///< those beyond 2^32 are not distinguished
  StackId stack = kNoFrames;

  [[nodiscard]] std::uint64_t packed() const { return event_bits(event) << 32U | stack.value; }
  [[nodiscard]] static Birth unpacked(std::uint64_t bits) {
    return {event_of_bits(bits >> 32U), {static_cast<std::uint32_t>(bits)}};
  }
};

/// An allocation that was live at the moment and freed after it.
struct Death {
  std::uint64_t address = 0;
  std::uint64_t requested_bytes = 0;
  EventIndex event;             ///< of the free
  Birth birth;                  ///< without a recorded alloc it is the stack of the free
  bool is_free_pending = false; ///< free_requested came before the moment
  bool has_no_request = false;  ///< neither its alloc nor its free_requested is recorded
};

/// A segment event after the moment.
struct SegmentEvent {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t stream = 0;
  Action action = Action::other;
  std::uint32_t pool = 0; ///< its index in pools() plus one; 0 if the event has none
};

class MomentLog {
public:
  explicit MomentLog(const MomentChoice& choice, DeviceId device)
      : device_(device), kind_(choice.kind), event_(choice.event), time_us_(choice.time_us) {
    if (const std::vector<EventIndex>* const caught = choice.caught.find(device)) caught_ = *caught;
    const bool is_other_device = choice.device && *choice.device != device;
    if (kind_ == MomentKind::event && is_other_device) kind_ = MomentKind::end;
    is_set_ = kind_ == MomentKind::peak || kind_ == MomentKind::automatic || starts_before_events();
  }

  // Called before passed() of the same event.
  void allocated(const Event& event, const std::optional<std::uint64_t>& overwritten);
  void free_requested(const Event& event, std::uint64_t index);
  void freed(const Event& event, std::uint64_t index, const std::optional<std::uint64_t>& birth);
  void segment_changed(const Event& event);

  /// Records that the event is done, and whether it is the moment. `live_bytes` is relative to the baseline.
  void passed(const Event& event, std::uint64_t index, bool is_new_peak, std::int64_t live_bytes) {
    if (kind_ != MomentKind::end && is_moment(event, index, is_new_peak)) move_to(event, index, live_bytes);
  }
  /// Takes the same events again, one batch at a time.
  void keep_around(std::span<const Event> batch, std::uint64_t first_index);

  /// Returns the kind of the moment; for `automatic`, the kind that it resolved to.
  [[nodiscard]] MomentKind kind() const {
    if (kind_ != MomentKind::automatic) return kind_;
    return has_failed_ ? MomentKind::oom : MomentKind::peak;
  }
  [[nodiscard]] bool is_on() const { return kind_ != MomentKind::end; }
  /// Whether the state at the moment can differ from that at the end.
  [[nodiscard]] bool is_set() const { return is_set_; }
  /// Returns the last event that has happened.
  [[nodiscard]] EventIndex moment() const { return moment_; }
  [[nodiscard]] std::optional<std::int64_t> time_us() const { return moment_time_us_; }
  /// Returns the bytes of the request if the moment is an out-of-memory error; else 0.
  [[nodiscard]] std::uint64_t asked_bytes() const { return asked_bytes_; }
  [[nodiscard]] std::int64_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] const std::vector<Death>& deaths() const { return deaths_; }
  /// Returns the freed starts of requests beyond the small pool, by address.
  [[nodiscard]] std::vector<FreedStart> freed_starts() const { return freed_starts_.until(moment_); }
  [[nodiscard]] const std::vector<SegmentEvent>& segment_events() const { return segment_events_; }
  [[nodiscard]] DeviceId device() const { return device_; }
  [[nodiscard]] const std::vector<PoolId>& pools() const { return pools_; }
  [[nodiscard]] std::uint64_t overwritten() const { return overwritten_; }
  /// Whether the stacks of frees are those of the allocs: in files whose frees were recorded without stacks.
  [[nodiscard]] bool frees_have_stacks_of_allocs() const { return same_stacks_ > 0 && other_stacks_ == 0; }
  /// Whether a free without a recorded request was requested before the first event: PyTorch records both, unless it
  /// was set to omit requests (skip_actions, 2.10), which a recorded alloc would show.
  [[nodiscard]] bool requests_are_recorded() const { return unrequested_ == 0; }
  /// Whether the free of the allocation that is live at `address` at the end was requested by the moment, as far as
  /// events show.
  [[nodiscard]] bool is_free_pending(std::uint64_t address) const;
  /// Returns the events around the moment, which is set.
  [[nodiscard]] EventsAround around() const;
  /// Returns the last events.
  [[nodiscard]] EventsAround around_end() const { return {EventIndex(events_ - last_.size()), last_}; }

private:
  [[nodiscard]] bool starts_before_events() const {
    return (kind_ == MomentKind::event && event_.is_none()) || kind_ == MomentKind::time ||
           kind_ == MomentKind::annotation;
  }
  [[nodiscard]] bool is_failure(const Event& event, std::uint64_t index) const {
    return event.action == Action::oom && !std::ranges::binary_search(caught_, EventIndex(index));
  }
  [[nodiscard]] bool is_moment(const Event& event, std::uint64_t index, bool is_new_peak) const;
  void move_to(const Event& event, std::uint64_t index, std::int64_t live_bytes);
  [[nodiscard]] bool happened(EventIndex event) const { return event <= moment_; }

  DeviceId device_;
  MomentKind kind_;
  EventIndex event_;
  std::int64_t time_us_;
  std::vector<EventIndex> caught_; ///< MomentChoice::caught

  bool is_set_ = false;
  bool has_failed_ = false; ///< the moment is an oom event
  EventIndex moment_;
  std::optional<std::int64_t> moment_time_us_;
  std::uint64_t asked_bytes_ = 0;
  std::int64_t live_bytes_ = 0;
  std::vector<Death> deaths_;
  FreedStarts freed_starts_;
  std::vector<SegmentEvent> segment_events_;
  std::vector<PoolId> pools_;
  std::uint64_t overwritten_ = 0;

  // Almost every free_completed directly follows its free_requested; only the others go into the map.
  std::uint64_t request_address_ = 0;
  std::optional<std::uint64_t> request_event_;
  NumberMap requests_;
  std::uint64_t same_stacks_ = 0;
  std::uint64_t other_stacks_ = 0;
  std::uint64_t unrequested_ = 0; ///< frees without a request since their recorded alloc

  std::vector<Event> last_;  ///< of the batches so far
  std::uint64_t events_ = 0; ///< in them
  std::vector<Event> before_;
  std::vector<Event> after_;
};

} // namespace memviz
