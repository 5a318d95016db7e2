#include "analysis/replay/device_accounts.hpp"
#include "analysis/replay/like_warnings.hpp"
#include "analysis/replay/rewind.hpp"
#include "analysis/replay/segment_totals.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>
#include <utility>

namespace memviz {

namespace {

std::string at_moment(const DeviceStats& stats) {
  return fmt::format("{} {}", device_name(stats.device, stats.is_cpu), moment_text(stats.at, stats.events));
}

/// Two ways to the same number: the file's blocks with the events after the moment, and the events before it.
std::int64_t off_the_sums(const DeviceStats& stats, const MomentLog& log) {
  const std::int64_t by_events = static_cast<std::int64_t>(stats.baseline_bytes) + log.live_bytes();
  return static_cast<std::int64_t>(stats.requested_bytes) - by_events;
}

/// What fits into no segment, and what the sums of the events have beyond all blocks and frees.
void add_outside(const Misfits& misfits, const MomentLog& log, DeviceStats& stats,
                 std::vector<OutsideMemory>& outside) {
  const auto add = [&](OutsideMemory memory) {
    memory.device = stats.device;
    stats.requested_bytes += memory.requested_bytes;
    stats.outside_bytes += memory.requested_bytes;
    outside.push_back(memory);
  };
  for (const OutsideMemory& memory : misfits.outside)
    add(memory);
  const std::int64_t off_bytes = off_the_sums(stats, log);
  if (off_bytes < 0)
    add({.device = {},
         .requested_bytes = static_cast<std::uint64_t>(-off_bytes),
         .allocations = 0,
         .is_only_counted = true});
}

/// What does not add up at the moments of the devices, by kind.
class MomentWarnings {
public:
  void look_at(const DeviceStats& stats, const Misfits& misfits, const MomentLog& log) {
    warn_of_misfits(stats, misfits);
    check_live_bytes(stats, log);
  }

  void append_to(std::vector<std::string>& warnings) const {
    for (const LikeWarnings* kind : {&segment_events_, &outside_, &live_bytes_, &overwritten_})
      kind->append_to(warnings);
  }

private:
  void warn_of_misfits(const DeviceStats& stats, const Misfits& misfits) {
    if (misfits.segment_events > 0) {
      segment_events_.add([&] {
        return fmt::format("{}: {} segment events ({}) contradict the segments of the file and were left out; the "
                           "trace is incomplete or edited",
                           at_moment(stats), format_count(misfits.segment_events), format_bytes(misfits.segment_bytes));
      });
    }
    if (stats.outside_bytes > 0) {
      outside_.add([&] {
        return fmt::format("{}: {} requested lie in no segment of that moment (<outside all segments>); the trace is "
                           "incomplete or edited",
                           at_moment(stats), format_bytes(stats.outside_bytes));
      });
    }
  }

  void check_live_bytes(const DeviceStats& stats, const MomentLog& log) {
    if (const std::int64_t off_bytes = off_the_sums(stats, log); off_bytes != 0) {
      live_bytes_.add([&] {
        return fmt::format("{}: the blocks request {} more than baseline + allocs - frees", at_moment(stats),
                           format_delta(off_bytes).substr(1));
      });
    }
    if (log.overwritten() > 0) {
      overwritten_.add([&] {
        return fmt::format("{}: {} allocations of that moment were never freed, yet their addresses were given out "
                           "again: what they were is not known",
                           at_moment(stats), format_count(log.overwritten()));
      });
    }
  }

  LikeWarnings segment_events_;
  LikeWarnings outside_;
  LikeWarnings live_bytes_;
  LikeWarnings overwritten_;
};

} // namespace

void Accounts::rewind(MemoryState& state) const {
  static const NumberMap nothing;
  Rewinder rewinder(*state.recording);
  std::vector<Misfits> misfits;
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
      misfits.push_back(rewinder.rewind(first, end - first, accounts->log, accounts->live));
    } else {
      rewinder.keep(first, end - first, accounts != nullptr ? accounts->live : nothing);
      misfits.emplace_back();
    }
    first = end;
  }
  static_cast<MemoryMap&>(state) = rewinder.take_memory();
  state.histories = rewinder.take_histories();
  for (DeviceStats& stats : state.devices)
    static_cast<MemoryTotals&>(stats) = totals_of(state, stats.device);
  MomentWarnings warnings;
  for (std::size_t i = 0; i < state.devices.size(); ++i) {
    DeviceStats& stats = state.devices[i];
    if (stats.at.is_end()) continue;
    const MomentLog& log = devices_[stats.device]->log;
    add_outside(misfits[i], log, stats, state.outside);
    warnings.look_at(stats, misfits[i], log);
  }
  warnings.append_to(state.warnings);
}

} // namespace memviz
