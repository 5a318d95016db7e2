#include "cli/trace_range.hpp"

#include "cli/scope.hpp"
#include "memviz/error.hpp"

#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace memviz::cli {

namespace {

bool is_time(const MomentChoice& choice) {
  return choice.kind == MomentKind::time || choice.kind == MomentKind::annotation;
}

/// The event of a moment that is not given by time; nullopt where the device has none.
std::optional<EventIndex> event_of(const MomentChoice& choice, const DeviceState& stats) {
  switch (choice.kind) {
  case MomentKind::event:
    return !choice.device || *choice.device == stats.device ? std::optional(choice.event) : std::nullopt;
  case MomentKind::automatic: return stats.last_oom_event.is_none() ? stats.peak_event : stats.last_oom_event;
  case MomentKind::oom: return stats.last_oom_event.is_none() ? std::nullopt : std::optional(stats.last_oom_event);
  case MomentKind::peak: return stats.peak_event;
  case MomentKind::end: return EventIndex::last_of(stats.figures.events);
  case MomentKind::time:
  case MomentKind::annotation: break;
  }
  return std::nullopt;
}

void set_first(EventRange& range, const MomentChoice& choice, const DeviceState& stats) {
  if (is_time(choice)) {
    range.first_us = choice.time_us;
    return;
  }
  const auto event = event_of(choice, stats);
  range.first_event = event ? std::max(*event, EventIndex(0)) : kLastPossibleEvent;
}

void set_last(EventRange& range, const MomentChoice& choice, const DeviceState& stats) {
  if (is_time(choice)) {
    range.last_us = choice.time_us;
    return;
  }
  const auto event = event_of(choice, stats);
  if (!event) return;
  range.last_event = *event; // before the first event there is nothing
}

/// Whether `from` is later than `to`; nullopt where a device does not have both, or one is an event and one a time.
std::optional<bool> is_reversed(const MomentChoice& from, const MomentChoice& to, const DeviceState& stats) {
  if (is_time(from) != is_time(to)) return std::nullopt;
  if (is_time(from)) return from.time_us > to.time_us;
  const auto first = event_of(from, stats);
  const auto last = event_of(to, stats);
  if (!first || !last) return std::nullopt;
  return *first > *last;
}

/// A range that no device has is a mistake; one that some have not is none: each has a peak of its own.
void check_order(const TraceEnds& ends, const MomentChoice& from, const MomentChoice& to,
                 std::span<const DeviceState> devices) {
  bool is_any = false;
  for (const DeviceState& stats : devices) {
    const auto reversed = is_reversed(from, to, stats);
    if (reversed == false) return;
    is_any = is_any || reversed == true;
  }
  if (is_any) {
    throw UsageError(
        fmt::format("{} comes after {}: there is nothing between them", ends.from->option, ends.to->option));
  }
}

/// With the time of its annotation.
MomentChoice choice_of(const MomentChoice& wanted, const Loaded& file, const FileOptions& options,
                       std::optional<DeviceId> device) {
  const MomentChoice choice = moment_of(wanted, device);
  check_moment(choice, file.name, file.state.devices_of(device));
  return moment_in(choice, file.name, *file.state.recording, options.redactor.get());
}

} // namespace

std::map<DeviceId, EventRange> trace_ranges(const TraceEnds& ends, const Loaded& file, const FileOptions& options,
                                            std::optional<DeviceId> device) {
  const std::span<const DeviceState> devices = file.state.devices_of(device);
  std::optional<MomentChoice> from;
  std::optional<MomentChoice> to;
  if (ends.from) from = choice_of(*ends.from, file, options, device);
  if (ends.to) to = choice_of(*ends.to, file, options, device);
  if (from && to) check_order(ends, *from, *to, devices);
  std::map<DeviceId, EventRange> ranges;
  for (const DeviceState& stats : devices) {
    EventRange& range = ranges[stats.device];
    if (from) set_first(range, *from, stats);
    if (to) set_last(range, *to, stats);
  }
  return ranges;
}

} // namespace memviz::cli
