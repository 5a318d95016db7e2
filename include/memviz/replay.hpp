#pragma once

// Events -> what lived when. Snapshot's trace of one device is replayed from the oldest event to the newest, from a
// baseline that is inferred: what was freed without a recorded alloc, and what is active at the end without one.
// The state at an earlier moment is rebuilt backward from the file's segments and blocks, which are exact; so only what
// happened after that moment has to be remembered.

#include "memviz/moment.hpp"
#include "memviz/snapshot.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// Totals of one device at a moment, and its accounts over the whole recording. All sizes are bytes.
struct DeviceStats {
  std::uint32_t device = 0;
  bool is_cpu = false; ///< Origin::is_cpu
  Moment at = {};      ///< the moment of the totals that follow, down to requested_bytes
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

  std::uint64_t events = 0;         ///< in the whole recording, as everything from here on
  std::uint64_t baseline_bytes = 0; ///< lived before the first recorded event
  std::uint64_t allocs = 0;         ///< recorded alloc events
  std::uint64_t alloc_bytes = 0;
  std::uint64_t free_bytes = 0; ///< free_completed events, matched or not
  /// Whether some of the baseline may have been allocated while recording was on: the ring of events is, or may be, too
  /// small to have kept that.
  bool may_have_lost_events = false;
  std::uint64_t unmatched_frees = 0;
  std::uint64_t unmatched_free_bytes = 0;
  std::uint64_t allocs_without_stack = 0;         ///< of the recorded ones
  std::uint64_t unexplained_blocks = 0;           ///< in use at the end without a recorded alloc
  std::uint64_t unexplained_with_stack = 0;       ///< of these: recording was on when they were allocated
  std::uint64_t unexplained_with_stack_bytes = 0; ///< requested
  std::uint64_t peak_requested_bytes = 0;
  std::int64_t peak_event = -1; ///< the first event after which live bytes are highest; -1: the baseline itself
  std::uint64_t end_requested_bytes = 0; ///< live after the last event: baseline + allocs - frees
  std::uint64_t end_reserved_bytes = 0;  ///< of the file's own segments
  std::int64_t imbalance_bytes = 0;      ///< that minus what the file's blocks request; 0 when the accounts balance
  std::uint64_t ooms = 0;
  std::int64_t last_oom_event = -1;
  std::optional<std::int64_t> first_time_us =
      std::nullopt; ///< earliest and latest time of an event; absent before PyTorch 2.2
  std::optional<std::int64_t> last_time_us = std::nullopt;

  [[nodiscard]] bool balanced() const { return imbalance_bytes == 0; }
  /// What blocks in use were asked for.
  [[nodiscard]] std::uint64_t inside_bytes() const { return requested_bytes - outside_bytes; }
  [[nodiscard]] std::uint64_t rounding_bytes() const { return allocated_bytes + pending_free_bytes - inside_bytes(); }
};

/// The event that allocated a block is not in the file.
inline constexpr std::uint32_t kNoEvent = 0xFFFFFFFF;

/// Memory that lived at a moment by the events, and for which no segment of that moment has room.
struct OutsideMemory {
  std::uint32_t device = 0;
  std::uint64_t requested_bytes = 0;
  /// 0: a part of an allocation whose beginning has a block; or bytes that are only counted.
  std::uint64_t allocations = 1;
  StackId stack = kNoFrames;
  std::uint32_t alloc_event = kNoEvent;
  bool is_only_counted = false; ///< what baseline + allocs - frees has beyond all allocations that can be named
};

struct Replay {
  std::vector<DeviceStats> devices; ///< of Snapshot::devices(), ascending
  /// By block index: whether a recorded alloc explains this active block.
  std::vector<bool> block_is_explained;
  /// By block index: the index of that alloc among the events of its device, else kNoEvent.
  std::vector<std::uint32_t> block_alloc_event;
  /// By block index: whether this active block is still there at the end of the recording.
  std::vector<bool> block_is_kept;
  std::vector<OutsideMemory> outside; ///< by device
  std::vector<EventsAround> around;   ///< of the same devices
  /// The file's own segments, where Snapshot::segments were replaced by those of another moment than the end.
  std::optional<std::vector<Segment>> end_segments;
  std::vector<std::string> warnings; ///< accounts that do not balance, events that do not fit
};

/// What the file has, whatever moment is looked at: by device, then address.
[[nodiscard]] std::span<const Segment> segments_at_end(const Snapshot& snapshot, const Replay& replay);

/// Those of `device`, or all.
[[nodiscard]] std::vector<DeviceStats> stats_of(const Replay& replay, std::optional<std::uint32_t> device);

/// The reader's, then the replay's.
[[nodiscard]] std::vector<std::string> all_warnings(const Snapshot& snapshot, const Replay& replay);

/// Over several devices; the peak is the sum of the devices' own peaks. Device and peak_event are those of the last
/// one.
[[nodiscard]] DeviceStats sum_of(const std::vector<DeviceStats>& devices);

/// The device that leads where several are at different moments, so that no sum of theirs was ever held at once: the
/// first that failed, else the one that holds most. Nothing where there is one device, or all are at their end.
[[nodiscard]] std::optional<std::uint32_t> leading_device(const std::vector<DeviceStats>& devices);

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

/// Replays events as they come; memory proportional to the allocations alive at once. finish() and rewind() throw Error
/// where the sizes of a device add up to more than kMaxTotalBytes.
class Accounts final : public EventSink {
public:
  /// Remembers on the way what the state at `choice` depends on: of each device the allocations that were alive then
  /// and have been freed since, and the segment events since.
  explicit Accounts(MomentChoice choice = {});
  ~Accounts() override;
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  void take(std::uint32_t device, std::span<const Event> events) override;
  void restart() override;
  /// Of the snapshot whose events these were; its `traces` are not looked at. The totals are those at the end.
  [[nodiscard]] Replay finish(const Snapshot& snapshot) const;
  /// The same with the totals at the moment chosen; `snapshot` gets the segments and blocks of that moment in place of
  /// those at the end. It conserves bytes as the file does: the blocks of a segment add up to it. Sizes of blocks that
  /// are gone at the end follow from their requested size (PyTorch's rounding and splitting). Allocations that fit into
  /// no segment are in Replay::outside, and a warning has their bytes; segment events that do not fit are left out with
  /// one.
  [[nodiscard]] Replay rewind(Snapshot& snapshot) const;

private:
  struct DeviceAccounts;
  MomentChoice choice_;
  std::vector<std::unique_ptr<DeviceAccounts>> devices_; ///< by device; null where it has no events
  std::string failure_;                                  ///< what is wrong with the events; "" for nothing
};

/// The same for events that the snapshot holds.
[[nodiscard]] Replay replay(const Snapshot& snapshot);
[[nodiscard]] Replay rewind(Snapshot& snapshot, const MomentChoice& choice);

} // namespace memviz
