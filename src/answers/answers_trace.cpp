#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/trace_json.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

bool is_time(const MomentChoice& choice) {
  return choice.kind == MomentKind::time || choice.kind == MomentKind::annotation;
}

/// Returns the event of a moment that is not given by time; nullopt if the device has none.
std::optional<EventIndex> event_of(const MomentChoice& choice, const DeviceState& device_state) {
  switch (choice.kind) {
  case MomentKind::event:
    return !choice.device || *choice.device == device_state.device ? std::optional(choice.event) : std::nullopt;
  case MomentKind::automatic:
    return device_state.last_oom_event.is_none() ? device_state.peak_event : device_state.last_oom_event;
  case MomentKind::oom:
    return device_state.last_oom_event.is_none() ? std::nullopt : std::optional(device_state.last_oom_event);
  case MomentKind::peak: return device_state.peak_event;
  case MomentKind::end: return EventIndex::last_of(device_state.figures.events);
  case MomentKind::time:
  case MomentKind::annotation: break;
  }
  return std::nullopt;
}

void set_first(EventRange& range, const MomentChoice& choice, const DeviceState& device_state) {
  if (is_time(choice)) {
    range.first_us = choice.time_us;
    return;
  }
  const auto event = event_of(choice, device_state);
  range.first_event = event ? std::max(*event, EventIndex(0)) : kLastPossibleEvent;
}

void set_last(EventRange& range, const MomentChoice& choice, const DeviceState& device_state) {
  if (is_time(choice)) {
    range.last_us = choice.time_us;
    return;
  }
  const auto event = event_of(choice, device_state);
  if (!event) return;
  range.last_event = *event; // there is nothing before the first event
}

/// Whether `from` is later than `to`; nullopt if a device lacks one of them, or one is an event and the other a time.
std::optional<bool> is_reversed(const MomentChoice& from, const MomentChoice& to, const DeviceState& device_state) {
  if (is_time(from) != is_time(to)) return std::nullopt;
  if (is_time(from)) return from.time_us > to.time_us;
  const auto first = event_of(from, device_state);
  const auto last = event_of(to, device_state);
  if (!first || !last) return std::nullopt;
  return *first > *last;
}

/// A range that no device has is an error; one that only some have is not, because each has a separate peak.
void check_order(const TraceEnds& ends, const MomentChoice& from, const MomentChoice& to,
                 std::span<const DeviceState> devices) {
  bool is_any = false;
  for (const DeviceState& device_state : devices) {
    const auto reversed = is_reversed(from, to, device_state);
    if (reversed == false) return;
    is_any = is_any || reversed == true;
  }
  if (is_any) {
    throw UsageError(fmt::format("{} comes after {}, so the range is empty", ends.from->option, ends.to->option));
  }
}

/// Returns the choice with the time of its annotation.
MomentChoice choice_of(const MomentChoice& wanted, const Loaded& file, TextRewriter* rewriter,
                       std::optional<DeviceId> device) {
  const MomentChoice choice = moment_of(wanted, device);
  check_moment(choice, file.name, file.state.devices_of(device));
  return moment_in(choice, file.name, *file.state.recording, rewriter);
}

std::map<DeviceId, EventRange> trace_ranges(const TraceEnds& ends, const Loaded& file, TextRewriter* rewriter,
                                            std::optional<DeviceId> device) {
  const std::span<const DeviceState> devices = file.state.devices_of(device);
  std::optional<MomentChoice> from;
  std::optional<MomentChoice> to;
  if (ends.from) from = choice_of(*ends.from, file, rewriter, device);
  if (ends.to) to = choice_of(*ends.to, file, rewriter, device);
  if (from && to) check_order(ends, *from, *to, devices);
  std::map<DeviceId, EventRange> ranges;
  for (const DeviceState& device_state : devices) {
    EventRange& range = ranges[device_state.device];
    if (from) set_first(range, *from, device_state);
    if (to) set_last(range, *to, device_state);
  }
  return ranges;
}

} // namespace

TraceAnswer trace_answer(const TraceQuestion& question, Session& session) {
  TraceAnswer answer{question, {}, {}};
  answer.loaded = loaded_from(session, {.sink = &answer.survey}, question.log.filter.device);
  return answer;
}

std::uint64_t write_trace(const TraceAnswer& answer, Session& session, const TextSink& write) {
  const Loaded& loaded = answer.loaded;
  TraceOptions options = answer.question.log;
  const std::optional<DeviceId> device = options.filter.device;
  options.filter.range = trace_ranges(answer.question.ends, loaded, session.options().rewriter, device);
  const bool is_document = options.format == TraceFormat::document;
  if (is_document) write(trace_json_head(loaded.name, loaded.state, answer.survey, device));
  TraceLog log(*loaded.state.recording, answer.survey, options, write);
  static_cast<void>(session.read(log));
  const std::uint64_t shown = log.finish();
  if (is_document) write(trace_json_tail());
  return shown;
}

} // namespace memviz
