#include "analysis/replay/device_accounts.hpp"
#include "analysis/replay/rewind.hpp"
#include "analysis/replay/segment_totals.hpp"

namespace memviz {

namespace {

/// Two ways to the same number: the file's blocks with the events after the moment, and the events before it.
std::int64_t off_the_sums(const DeviceFigures& figures, const MomentLog& log) {
  const std::int64_t by_events = static_cast<std::int64_t>(figures.baseline_bytes) + log.live_bytes();
  return static_cast<std::int64_t>(figures.requested_bytes) - by_events;
}

/// Adds memory that fits into no segment, and the excess of the sums of events over all blocks and frees.
void add_outside(const std::vector<OutsideMemory>& unplaced, const MomentLog& log, DeviceState& device) {
  const auto add = [&](const OutsideMemory& memory) {
    device.figures.requested_bytes += memory.requested_bytes;
    device.figures.outside_bytes += memory.requested_bytes;
    device.outside.push_back(memory);
  };
  for (const OutsideMemory& memory : unplaced)
    add(memory);
  const std::int64_t off_bytes = off_the_sums(device.figures, log);
  if (off_bytes < 0)
    add({.requested_bytes = static_cast<std::uint64_t>(-off_bytes), .allocations = 0, .is_only_counted = true});
}

/// Adds the contradictions at the moment of `log`, after everything outside all segments is added.
Misfits misfits_at(const DeviceFigures& figures, const Misfits& of_segments, const MomentLog& log) {
  Misfits misfits = of_segments;
  if (const std::int64_t off_bytes = off_the_sums(figures, log); off_bytes > 0)
    misfits.unsummed_bytes = static_cast<std::uint64_t>(off_bytes);
  misfits.overwritten_allocations = log.overwritten();
  return misfits;
}

} // namespace

MemoryState Accounts::rewound(const MemoryState& at_end) const {
  static const NumberMap nothing;
  Rewinder rewinder(*at_end.recording);
  std::vector<Unplaced> unplaced;
  const std::vector<Segment>& segments = at_end.recording->end.segments;
  std::size_t first = 0;
  const auto log_of = [&](const DeviceState& device) -> const MomentLog* {
    const DeviceAccounts* const accounts = accounts_of(device.device);
    return accounts != nullptr && accounts->log.is_set() ? &accounts->log : nullptr;
  };
  for (const DeviceState& device : at_end.devices) {
    std::size_t end = first;
    while (end < segments.size() && segments[end].device == device.device)
      ++end;
    const DeviceAccounts* const accounts = accounts_of(device.device);
    const NumberMap& live = accounts != nullptr ? accounts->live : nothing;
    if (const MomentLog* const log = log_of(device)) {
      unplaced.push_back(rewinder.rewind(first, end - first, *log, live));
    } else {
      rewinder.keep(first, end - first, live);
      unplaced.emplace_back();
    }
    first = end;
  }
  MemoryState state{rewinder.take_memory(), at_end.recording, at_end.devices, rewinder.take_facts()};
  for (std::size_t i = 0; i < state.devices.size(); ++i) {
    DeviceState& device = state.devices[i];
    const MomentLog* const log = log_of(device);
    if (log == nullptr) continue;
    device.moment = accounts_of(device.device)->moment(choice_);
    device.around = log->around();
    static_cast<MemoryTotals&>(device.figures) = totals_of(state, device.device);
    add_outside(unplaced[i].outside, *log, device);
    device.misfits = misfits_at(device.figures, unplaced[i].misfits, *log);
  }
  return state;
}

} // namespace memviz
