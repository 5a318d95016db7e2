#pragma once

// The figures of one device: its totals at a moment, and its accounts over the whole recording; and which of several
// devices, or whether their sum, sentences are about. All sizes are bytes.

#include "memviz/moment.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// What is held at a moment.
struct MemoryTotals {
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;

  std::uint64_t reserved_bytes = 0;     ///< sum of the segments' total_size
  std::uint64_t allocated_bytes = 0;    ///< size of active_allocated blocks
  std::uint64_t pending_free_bytes = 0; ///< size of active_pending_free blocks
  std::uint64_t inactive_bytes = 0;     ///< size of inactive blocks
  std::uint64_t unaccounted_bytes = 0;  ///< reserved bytes that no block covers
  std::uint64_t requested_bytes = 0;    ///< requested size of active blocks, and of what is outside
  /// Of these: allocations that lie in no segment, which only edited files have. At the end of the recording none: the
  /// file's own blocks are what is alive then.
  std::uint64_t outside_bytes = 0;

  MemoryTotals& operator+=(const MemoryTotals& more);
  /// What blocks in use were asked for.
  [[nodiscard]] std::uint64_t inside_bytes() const { return requested_bytes - outside_bytes; }
  [[nodiscard]] std::uint64_t rounding_bytes() const { return allocated_bytes + pending_free_bytes - inside_bytes(); }
};

/// What the events of a device say, one after the other.
struct EventCounts {
  std::uint64_t events = 0;
  std::uint64_t allocs = 0; ///< recorded alloc events
  std::uint64_t alloc_bytes = 0;
  std::uint64_t free_bytes = 0; ///< free_completed events, matched or not
  std::uint64_t unmatched_frees = 0;
  std::uint64_t unmatched_free_bytes = 0;
  std::uint64_t allocs_without_stack = 0; ///< of the recorded ones
  std::uint64_t ooms = 0;
  std::uint32_t actions = 0; ///< a bit for each Action that occurs
  EventIndex last_oom_event = {};
  /// Earliest and latest time of an event; absent before PyTorch 2.2.
  std::optional<std::int64_t> first_time_us = std::nullopt;
  std::optional<std::int64_t> last_time_us = std::nullopt;

  [[nodiscard]] bool has(Action action) const { return (actions >> static_cast<unsigned>(action) & 1U) != 0; }
  /// The last out-of-memory error stays this device's: no index names an event of two.
  EventCounts& operator+=(const EventCounts& more);
};

/// The accounts of a whole recording: its events, and the blocks of its end.
struct EventAccounts : EventCounts {
  std::uint64_t baseline_bytes = 0; ///< lived before the first recorded event
  /// Whether some of the baseline may have been allocated while recording was on: the ring of events is, or may be, too
  /// small to have kept that.
  bool may_have_lost_events = false;
  std::uint64_t unexplained_blocks = 0;           ///< in use at the end without a recorded alloc
  std::uint64_t unexplained_with_stack = 0;       ///< of these: recording was on when they were allocated
  std::uint64_t unexplained_with_stack_bytes = 0; ///< requested
  std::uint64_t peak_requested_bytes = 0;
  EventIndex peak_event = {}; ///< the first event after which live bytes are highest; none: the baseline itself
  std::uint64_t end_requested_bytes = 0; ///< live after the last event: baseline + allocs - frees
  std::uint64_t end_reserved_bytes = 0;  ///< of the file's own segments
  std::uint64_t end_block_bytes = 0;     ///< requested by the file's own blocks that are active
  std::int64_t imbalance_bytes = 0;      ///< the sum of the events minus that; 0 when the accounts balance

  /// The peak becomes the sum of both peaks, and its event that of `more`.
  EventAccounts& operator+=(const EventAccounts& more);
  [[nodiscard]] bool balanced() const { return imbalance_bytes == 0; }
  /// What is live at the end: where the events do not add up to it, what the file's own blocks say.
  [[nodiscard]] std::uint64_t end_live_bytes() const { return balanced() ? end_requested_bytes : end_block_bytes; }
};

/// One device at a moment.
struct DeviceStats : MemoryTotals, EventAccounts {
  DeviceId device;
  bool is_cpu = false; ///< Origin::is_main_memory()
  Moment at = {};      ///< of the totals
};

/// Over several devices; the peak is the sum of the devices' own peaks. Device and peak_event are those of the last
/// one.
[[nodiscard]] DeviceStats sum_of(const std::vector<DeviceStats>& devices);

/// Whether there is pinned host memory beside GPUs: their sum is the size of nothing.
[[nodiscard]] bool mixes_host(const std::vector<DeviceStats>& devices);

[[nodiscard]] bool are_at_end(const std::vector<DeviceStats>& devices);

/// The device that leads where several are at different moments, so that no sum of theirs was ever held at once, or
/// where some are GPUs and one is host memory: the first that failed, else the GPU that holds most. Nothing where there
/// is one device, or all are GPUs at their end.
[[nodiscard]] std::optional<DeviceId> leading_device(const std::vector<DeviceStats>& devices);

/// What figures and sentences about `devices` are of: the leading device, else their sum.
[[nodiscard]] DeviceStats leading_or_sum(const std::vector<DeviceStats>& devices);

/// What a device held at the moments that are not looked at, and the command that shows them: "At the end: 3.20 GiB
/// live of 6.50 GiB reserved (memviz flame --at end FILE); at the peak: 39.7 GiB live (--at peak)", or with an owner
/// "GPU 1 at the end: ...". "" where it has no events or held the same.
[[nodiscard]] std::string other_moments_text(std::string_view command, const DeviceStats& stats,
                                             std::string_view owner = "");

/// moment_text() of one device; of several, which is at which: "GPU 1 at the out-of-memory error, event 5 of 9; the
/// others at the end of recording".
[[nodiscard]] std::string moments_text(const std::vector<DeviceStats>& devices);

} // namespace memviz
