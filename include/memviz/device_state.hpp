#pragma once

// One device at a moment: its totals then, its accounts over the whole recording, and any contradictions; also the
// combined figures of several devices. All sizes are bytes.

#include "memviz/device_kind.hpp"
#include "memviz/moment.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

/// The memory held at a moment.
struct MemoryTotals {
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;

  std::uint64_t reserved_bytes = 0;     ///< sum of the segments' total_size
  std::uint64_t allocated_bytes = 0;    ///< size of active_allocated blocks
  std::uint64_t pending_free_bytes = 0; ///< size of active_pending_free blocks
  std::uint64_t inactive_bytes = 0;     ///< size of inactive blocks
  std::uint64_t unaccounted_bytes = 0;  ///< reserved bytes that no block covers
  std::uint64_t requested_bytes = 0;    ///< requested size of active blocks, and of memory outside segments
  /// The part of these that lies in no segment, which only edited files have. Always 0 at the end of the recording,
  /// where the file's own blocks are exactly what is live.
  std::uint64_t outside_bytes = 0;

  MemoryTotals& operator+=(const MemoryTotals& more);
  /// Returns the bytes that were requested for blocks in use.
  [[nodiscard]] std::uint64_t inside_bytes() const { return requested_bytes - outside_bytes; }
  [[nodiscard]] std::uint64_t rounding_bytes() const { return allocated_bytes + pending_free_bytes - inside_bytes(); }
};

/// The counts of a device's events.
struct EventCounts {
  std::uint64_t events = 0;
  std::uint64_t allocs = 0; ///< recorded alloc events
  std::uint64_t alloc_bytes = 0;
  std::uint64_t free_bytes = 0; ///< free_completed events, matched or not
  std::uint64_t unmatched_frees = 0;
  std::uint64_t unmatched_free_bytes = 0;
  std::uint64_t allocs_without_stack = 0; ///< the recorded ones
  std::uint64_t ooms = 0;
  std::uint32_t actions = 0; ///< one bit for each Action that occurs
  /// The earliest and latest time of an event; absent before PyTorch 2.2.
  std::optional<std::int64_t> first_time_us = std::nullopt;
  std::optional<std::int64_t> last_time_us = std::nullopt;

  [[nodiscard]] bool has(Action action) const { return (actions >> static_cast<unsigned>(action) & 1U) != 0; }
  EventCounts& operator+=(const EventCounts& more);
};

/// The figures of one device, or of several combined: its totals at a moment, and the accounts of the whole recording,
/// from its events and its final blocks.
struct DeviceFigures : MemoryTotals, EventCounts {
  std::uint64_t baseline_bytes = 0; ///< alive before the first recorded event
  /// Whether some of the baseline may have been allocated while recording was on, because the ring of events is, or may
  /// be, too small to have kept it.
  bool may_have_lost_events = false;
  std::uint64_t unexplained_blocks = 0;           ///< in use at the end, without a recorded alloc
  std::uint64_t unexplained_with_stack = 0;       ///< the part of these allocated while recording was on
  std::uint64_t unexplained_with_stack_bytes = 0; ///< requested
  std::uint64_t peak_requested_bytes = 0;
  std::uint64_t end_requested_bytes = 0; ///< live after the last event: baseline + allocs - frees
  std::uint64_t end_reserved_bytes = 0;  ///< total of the file's own segments
  std::uint64_t end_block_bytes = 0;     ///< requested by the file's own active blocks
  std::int64_t imbalance_bytes = 0;      ///< the sum of the events minus that; 0 if the accounts balance

  /// Adds the figures of another device. The peak becomes the sum of both peaks.
  DeviceFigures& operator+=(const DeviceFigures& more);
  [[nodiscard]] bool balanced() const { return imbalance_bytes == 0; }
  /// Returns the live bytes at the end: those of the file's own blocks, if the events do not add up to them.
  [[nodiscard]] std::uint64_t end_live_bytes() const { return balanced() ? end_requested_bytes : end_block_bytes; }
};

/// Memory that was live at a moment according to the events, and for which no segment of that moment has room.
struct OutsideMemory {
  std::uint64_t requested_bytes = 0;
  /// 0: part of an allocation whose beginning has a block, or bytes that are only counted.
  std::uint64_t allocations = 1;
  StackId stack = kNoFrames;
  EventIndex alloc_event = {};
  bool is_only_counted = false; ///< the part of baseline + allocs - frees that no allocation accounts for
};

/// Contradictions at the moment of a device, apart from MemoryTotals::outside_bytes. There are none at the end of the
/// recording, where the file's own blocks are exactly what is live.
struct Misfits {
  std::uint64_t segment_events = 0; ///< events ignored because they contradict the file's segments
  std::uint64_t segment_bytes = 0;  ///< the bytes of these
  std::uint64_t unsummed_bytes = 0; ///< requested by the blocks beyond baseline + allocs - frees
  /// Allocations that were never freed, although their addresses were allocated again.
  std::uint64_t overwritten_allocations = 0;
};

/// One device at a moment.
struct DeviceState {
  DeviceId device;
  DeviceKind device_kind = DeviceKind::cuda; ///< Origin::kind_of()
  bool are_segments_made_up = false;         ///< Origin::are_segments_made_up
  Moment moment = {};
  DeviceFigures figures = {};
  EventIndex peak_event = {}; ///< the first event after which live bytes are highest; none: the baseline is
  EventIndex last_oom_event = {};
  std::uint64_t allocs_after_oom = 0;   ///< allocations after that event, if there is one
  std::uint64_t trailing_snapshots = 0; ///< the events `snapshot` at the end, which change nothing
  EventsAround around = {};
  Misfits misfits = {};
  std::vector<OutsideMemory> outside = {}; ///< the allocations behind DeviceFigures::outside_bytes

  /// Whether nothing changes after the moment: it is the end, or the event after which the file was written.
  [[nodiscard]] bool is_at_last_event() const {
    return moment.is_end() || moment.event.count() + trailing_snapshots >= figures.events;
  }
};

/// Returns the sum of the figures of several devices.
[[nodiscard]] DeviceFigures sum_of(std::span<const DeviceState> devices);

/// Whether there is pinned host memory in addition to GPUs, so that a sum of both means nothing.
[[nodiscard]] bool mixes_host(std::span<const DeviceState> devices);

[[nodiscard]] bool are_at_end(std::span<const DeviceState> devices);

/// Returns the leading device of several. Each has memory that no other can use, and sums over GPUs would hide the full
/// one, so the leading device is the first that failed, else the GPU that holds most. Null if there are fewer than two
/// devices.
[[nodiscard]] const DeviceState* leading_device(std::span<const DeviceState> devices);

/// Returns all devices, the leading one first, the others in their order.
[[nodiscard]] std::vector<const DeviceState*> leading_first(std::span<const DeviceState> devices);

/// Returns all devices for an answer about the whole recording: those that failed at another moment lead, unless one
/// fails at the shown one.
[[nodiscard]] std::vector<const DeviceState*> failed_first(std::span<const DeviceState> devices);

/// Returns the one device that figures and sentences about `devices` describe: the leading one or the only one; null if
/// there is none.
[[nodiscard]] const DeviceState* shown_device(std::span<const DeviceState> devices);
/// Returns the figures of that device, else the sum.
[[nodiscard]] DeviceFigures shown_figures(std::span<const DeviceState> devices);
/// Returns the moment of that device, else the end.
[[nodiscard]] Moment shown_moment(std::span<const DeviceState> devices);

} // namespace memviz
