#pragma once

// The moment of a recording to look at. Each device counts events separately, so each has its own moment: the state
// after one of its events.

#include "memviz/events.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

enum class MomentKind : std::uint8_t {
  end,        ///< the end of the recording: the file's own segments
  peak,       ///< the event after which live requested bytes are highest for the first time
  oom,        ///< the last `oom` event: just before the failed request returned
  automatic,  ///< the last `oom` event that is not `caught` if there is one, else the peak; resolved to one of them
  event,      ///< after an event given by its index
  time,       ///< after the last event at or before a time
  annotation, ///< the same, where the time is that of an annotation's START
};

/// A requested moment; the event that it means on a device is known once the device's events are read.
struct MomentChoice {
  MomentKind kind = MomentKind::end;
  EventIndex event = {};    ///< for `event`
  std::int64_t time_us = 0; ///< for `time` and `annotation`
  /// The name of the annotation; before moment_in(), the whole text after "annotation:".
  std::string annotation = {};
  /// The device that `event` refers to; the others stay at their end. Nullopt: all devices.
  std::optional<DeviceId> device = {};
  std::string option = {}; ///< "--at peak": what was written, for messages
  /// Errors that are not the moment of `automatic`, ascending: a library caught them, and the program never saw them.
  ByDevice<std::vector<EventIndex>> caught = {};
};

/// The moment of one device. A device without such an event (no oom, no events at all) has the kind `end`.
struct Moment {
  MomentKind kind = MomentKind::end;
  /// The last event that has happened; for `end`, the last of all.
  EventIndex event;
  std::optional<std::int64_t> time_us; ///< of that event, if events have times
  std::string annotation;
  std::uint64_t asked_bytes = 0; ///< of an out-of-memory error: the requested bytes

  [[nodiscard]] bool is_end() const { return kind == MomentKind::end; }
};

/// "end", "peak", "oom", "event", "time", "annotation".
[[nodiscard]] std::string_view moment_kind_name(MomentKind kind);

/// "at the out-of-memory error, event 1,234 of 5,678", "at the end of recording", ...; `events` is the number of the
/// device's events.
[[nodiscard]] std::string moment_text(const Moment& moment, std::uint64_t events);

/// A shorter form, for a sentence that has the figures: "at its peak", "at the end", "after event 1,234", ...
[[nodiscard]] std::string short_moment_text(const Moment& moment);

/// The events of a device up to its moment, inclusive, and the first ones after it.
struct EventsAround {
  EventIndex first_event;    ///< events[0]
  std::vector<Event> events; ///< consecutive, oldest first
};

} // namespace memviz
