#include "analysis/replay/device_accounts.hpp"
#include "analysis/replay/rewind.hpp"
#include "analysis/replay/segment_totals.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

/// The totals, counted again from the segments and blocks of `snapshot`.
void recount(const Snapshot& snapshot, std::vector<DeviceStats>& devices) {
  for (DeviceStats& stats : devices) {
    for (std::uint64_t* total :
         {&stats.segments, &stats.blocks, &stats.reserved_bytes, &stats.allocated_bytes, &stats.pending_free_bytes,
          &stats.inactive_bytes, &stats.unaccounted_bytes, &stats.requested_bytes})
      *total = 0;
    for (const Segment& segment : snapshot.segments_of(stats.device))
      add_segment(snapshot, segment, stats);
  }
}

std::string at_moment(const DeviceStats& stats) {
  return fmt::format("{} {}", device_name(stats.device, stats.is_cpu), moment_text(stats.at, stats.events));
}

void warn_of_misfits(const DeviceStats& stats, const Misfits& misfits, std::vector<std::string>& warnings) {
  if (misfits.segment_events > 0) {
    warnings.push_back(fmt::format("{}: {} segment events ({}) contradict the segments of the file and were left out; "
                                   "the trace is incomplete or edited",
                                   at_moment(stats), format_count(misfits.segment_events),
                                   format_bytes(misfits.segment_bytes)));
  }
  if (misfits.allocations > 0) {
    warnings.push_back(fmt::format("{}: {} allocations ({} requested) do not fit into the segments of that moment and "
                                   "were left out; the trace is incomplete or edited",
                                   at_moment(stats), format_count(misfits.allocations),
                                   format_bytes(misfits.allocation_bytes)));
  }
}

/// Two ways to the same number: the events before the moment, and the file's blocks with the events after it.
void check_live_bytes(const DeviceStats& stats, const MomentLog& log, std::vector<std::string>& warnings) {
  const std::int64_t by_events = static_cast<std::int64_t>(stats.baseline_bytes) + log.live_bytes();
  const std::int64_t off_bytes = static_cast<std::int64_t>(stats.requested_bytes) - by_events;
  if (off_bytes != 0) {
    warnings.push_back(fmt::format("{}: the blocks request {} {} than baseline + allocs - frees", at_moment(stats),
                                   format_delta(off_bytes).substr(1), off_bytes > 0 ? "more" : "less"));
  }
  if (log.overwritten() > 0) {
    warnings.push_back(fmt::format("{}: {} allocations of that moment were never freed, yet their addresses were given "
                                   "out again: not in the picture of it",
                                   at_moment(stats), format_count(log.overwritten())));
  }
}

} // namespace

Replay Accounts::rewind(Snapshot& snapshot) const {
  static const NumberMap nothing;
  Replay result = finish(snapshot);
  if (choice_.kind == MomentKind::end) return result;
  Rewinder rewinder(snapshot);
  std::vector<Misfits> misfits;
  std::size_t first = 0;
  for (DeviceStats& stats : result.devices) {
    std::size_t end = first;
    while (end < snapshot.segments.size() && snapshot.segments[end].device == stats.device)
      ++end;
    const DeviceAccounts* accounts = stats.device < devices_.size() ? devices_[stats.device].get() : nullptr;
    const bool is_rewound = accounts != nullptr && accounts->log.is_set();
    if (is_rewound) {
      stats.at = accounts->moment(choice_);
      misfits.push_back(rewinder.rewind(first, end - first, accounts->log, accounts->live));
    } else {
      rewinder.keep(first, end - first, accounts != nullptr ? accounts->live : nothing);
      misfits.emplace_back();
    }
    first = end;
  }
  snapshot.segments = rewinder.take_segments();
  snapshot.blocks = rewinder.take_blocks();
  result.block_alloc_event = rewinder.take_alloc_events();
  result.block_is_explained.clear();
  for (const std::uint32_t event : result.block_alloc_event)
    result.block_is_explained.push_back(event != kNoEvent);
  recount(snapshot, result.devices);
  for (std::size_t i = 0; i < result.devices.size(); ++i) {
    const DeviceStats& stats = result.devices[i];
    if (stats.at.is_end()) continue;
    warn_of_misfits(stats, misfits[i], result.warnings);
    check_live_bytes(stats, devices_[stats.device]->log, result.warnings);
  }
  return result;
}

Replay rewind(Snapshot& snapshot, const MomentChoice& choice) {
  Accounts accounts(choice);
  take_events(snapshot, accounts);
  return accounts.rewind(snapshot);
}

} // namespace memviz
