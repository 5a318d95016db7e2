#include "memviz/replay.hpp"

#include "analysis/address_map.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>
#include <map>

namespace memviz {
namespace {

/// Live bytes over the events of one device, relative to the baseline, which is known only when the last event is.
struct Course {
  AddressMap live; ///< address -> requested bytes, of recorded allocs
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t peak_event = -1;
};

[[noreturn]] void fail_sum(std::uint32_t device) {
  throw Error(fmt::format("the events of device {} add up to more than 1 EiB: the file is damaged", device));
}

void add(std::uint64_t& sum, std::uint64_t bytes, std::uint32_t device) {
  if (__builtin_add_overflow(sum, bytes, &sum) || sum > kMaxTotalBytes) fail_sum(device);
}

void replay_event(const EventTable& events, std::size_t index, Course& course, DeviceStats& stats) {
  const std::uint64_t bytes = events.size_bytes(index);
  switch (events.action(index)) {
  case Action::alloc:
    ++stats.allocs;
    add(stats.alloc_bytes, bytes, stats.device);
    course.live.insert(events.address(index), bytes);
    course.live_bytes += static_cast<std::int64_t>(bytes);
    break;
  case Action::free_completed:
    add(stats.free_bytes, bytes, stats.device);
    if (!course.live.remove(events.address(index))) {
      ++stats.unmatched_frees;
      add(stats.unmatched_free_bytes, bytes, stats.device);
    }
    course.live_bytes -= static_cast<std::int64_t>(bytes);
    break;
  case Action::oom:
    ++stats.ooms;
    stats.last_oom_event = static_cast<std::int64_t>(index);
    break;
  default: break;
  }
  if (course.live_bytes > course.peak_bytes) {
    course.peak_bytes = course.live_bytes;
    course.peak_event = static_cast<std::int64_t>(index);
  }
}

void count_segment(const Snapshot& snapshot, const Segment& segment, DeviceStats& stats) {
  ++stats.segments;
  stats.blocks += segment.block_count;
  stats.reserved_bytes += segment.total_bytes;
  stats.unaccounted_bytes += segment.uncovered_bytes;
  for (const Block& block : snapshot.blocks_of(segment)) {
    stats.requested_bytes += block.requested_bytes;
    switch (block.state) {
    case BlockState::active_allocated: stats.allocated_bytes += block.size_bytes; break;
    case BlockState::active_pending_free: stats.pending_free_bytes += block.size_bytes; break;
    case BlockState::inactive: stats.inactive_bytes += block.size_bytes; break;
    }
  }
}

/// Blocks active at the end that no recorded alloc explains lived before the first event.
std::uint64_t mark_explained(const Snapshot& snapshot, const Segment& segment, const AddressMap& live,
                             std::vector<bool>& block_is_explained) {
  std::uint64_t unexplained_bytes = 0;
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    const Block& block = snapshot.blocks[i];
    if (!block.is_active()) continue;
    block_is_explained[i] = live.contains(block.address);
    if (!block_is_explained[i]) unexplained_bytes += block.requested_bytes;
  }
  return unexplained_bytes;
}

void settle(const Course& course, std::uint64_t unexplained_bytes, DeviceStats& stats) {
  stats.baseline_bytes = stats.unmatched_free_bytes;
  add(stats.baseline_bytes, unexplained_bytes, stats.device);
  stats.peak_requested_bytes = stats.baseline_bytes;
  add(stats.peak_requested_bytes, static_cast<std::uint64_t>(course.peak_bytes), stats.device);
  stats.peak_event = course.peak_event;
  // Below 0 only where frees name more bytes than their allocs did.
  const std::int64_t end_bytes = static_cast<std::int64_t>(stats.baseline_bytes) + course.live_bytes;
  stats.end_requested_bytes = end_bytes < 0 ? 0 : static_cast<std::uint64_t>(end_bytes);
  stats.imbalance_bytes = end_bytes - static_cast<std::int64_t>(stats.requested_bytes);
}

void warn(const DeviceStats& stats, std::vector<std::string>& warnings) {
  if (stats.balanced()) return;
  warnings.push_back(
      fmt::format("the accounts of {} do not balance: baseline + allocs - frees is {} {} than the blocks "
                  "active at the end request ({} bytes); the trace is incomplete or edited",
                  device_name(stats.device, stats.is_cpu), format_delta(stats.imbalance_bytes).substr(1),
                  stats.imbalance_bytes > 0 ? "more" : "less", format_count(stats.requested_bytes)));
}

} // namespace

Replay replay(const Snapshot& snapshot) {
  Replay result;
  result.block_is_explained.resize(snapshot.blocks.size());
  std::map<std::uint32_t, std::vector<const Segment*>> segments_of;
  for (const Segment& segment : snapshot.segments)
    segments_of[segment.device].push_back(&segment);

  for (const std::uint32_t device : snapshot.devices()) {
    DeviceStats stats;
    stats.device = device;
    stats.is_cpu = snapshot.origin.is_cpu;
    Course course;
    if (device < snapshot.traces.size()) {
      const EventTable& events = snapshot.traces[device];
      stats.events = events.size();
      for (std::size_t i = 0; i < events.size(); ++i)
        replay_event(events, i, course, stats);
    }
    std::uint64_t unexplained_bytes = 0;
    for (const Segment* segment : segments_of[device]) {
      count_segment(snapshot, *segment, stats);
      unexplained_bytes += mark_explained(snapshot, *segment, course.live, result.block_is_explained);
    }
    settle(course, unexplained_bytes, stats);
    warn(stats, result.warnings);
    result.devices.push_back(stats);
  }
  return result;
}

} // namespace memviz
