#include "analysis/replay/device_accounts.hpp"
#include "analysis/replay/rewind.hpp"
#include "analysis/replay/segment_totals.hpp"

#include <utility>

namespace memviz {

namespace {

/// Two ways to the same number: the file's blocks with the events after the moment, and the events before it.
std::int64_t off_the_sums(const DeviceStats& stats, const MomentLog& log) {
  const std::int64_t by_events = static_cast<std::int64_t>(stats.baseline_bytes) + log.live_bytes();
  return static_cast<std::int64_t>(stats.requested_bytes) - by_events;
}

/// What fits into no segment, and what the sums of the events have beyond all blocks and frees.
void add_outside(const Unplaced& unplaced, const MomentLog& log, DeviceStats& stats,
                 std::vector<OutsideMemory>& outside) {
  const auto add = [&](OutsideMemory memory) {
    memory.device = stats.device;
    stats.requested_bytes += memory.requested_bytes;
    stats.outside_bytes += memory.requested_bytes;
    outside.push_back(memory);
  };
  for (const OutsideMemory& memory : unplaced.outside)
    add(memory);
  const std::int64_t off_bytes = off_the_sums(stats, log);
  if (off_bytes < 0)
    add({.device = {},
         .requested_bytes = static_cast<std::uint64_t>(-off_bytes),
         .allocations = 0,
         .is_only_counted = true});
}

/// Of the moment of `log`, once what is outside all segments is added.
Misfits misfits_at(const DeviceStats& stats, const Misfits& of_segments, const MomentLog& log) {
  Misfits misfits = of_segments;
  if (const std::int64_t off_bytes = off_the_sums(stats, log); off_bytes > 0)
    misfits.unsummed_bytes = static_cast<std::uint64_t>(off_bytes);
  misfits.overwritten_allocations = log.overwritten();
  return misfits;
}

} // namespace

void Accounts::rewind(MemoryState& state) const {
  static const NumberMap nothing;
  Rewinder rewinder(*state.recording);
  std::vector<Unplaced> unplaced;
  const std::vector<Segment>& segments = state.recording->end.segments;
  std::size_t first = 0;
  for (DeviceStats& stats : state.devices) {
    std::size_t end = first;
    while (end < segments.size() && segments[end].device == stats.device)
      ++end;
    const DeviceAccounts* const accounts = accounts_of(stats.device);
    const bool is_rewound = accounts != nullptr && accounts->log.is_set();
    if (is_rewound) {
      stats.at = accounts->moment(choice_);
      unplaced.push_back(rewinder.rewind(first, end - first, accounts->log, accounts->live));
    } else {
      rewinder.keep(first, end - first, accounts != nullptr ? accounts->live : nothing);
      unplaced.emplace_back();
    }
    first = end;
  }
  static_cast<MemoryMap&>(state) = rewinder.take_memory();
  state.histories = rewinder.take_histories();
  for (DeviceStats& stats : state.devices)
    static_cast<MemoryTotals&>(stats) = totals_of(state, stats.device);
  for (std::size_t i = 0; i < state.devices.size(); ++i) {
    DeviceStats& stats = state.devices[i];
    if (stats.at.is_end()) continue;
    const MomentLog& log = devices_[stats.device]->log;
    add_outside(unplaced[i], log, stats, state.outside);
    state.misfits[i] = misfits_at(stats, unplaced[i].misfits, log);
  }
}

} // namespace memviz
