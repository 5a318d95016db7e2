#pragma once

// Events -> a log of them, line by line while they are read: nothing is kept but what lives at the moment. An
// allocation is named by its address in hex and how often that address was used before: b7f064c000000_0; a segment
// begins with s.
//
// As ndjson, each line is one object; keys that say nothing are left out, new ones may come:
//   {"kind": "event", "device": 0, "event": 12 (its index), "time_us": 1700000000000000 (since 1970), "action":
//   "alloc",
//    "name": "b7f064c000000_0", "address": "139655...", "size_bytes": 512, "stream": "0", "pool": [0, 1],
//    "line": "forward model.py:12" (the user's own), "began_event": 3 (its alloc), "lived_events": 9, "lived_us": 1234
//    (of frees), "pending_events": 4, "pending_us": 56 (between free_requested and free_completed),
//    "device_free_bytes": 1024 (of oom), "compile_context": "", "user_metadata": "" (of annotate: what is said of the
//    allocation), "internal_metadata": "", "frames": [{"name", "file", "line"}] (innermost first; with what torch.fx
//    says: "fx_node_op", ...), "forward_frames": ["layers.py:58 forward"] (of the backward pass)}
//   {"kind": "annotation", "device": 0, "time_us": 1700000000000000, "name": "forward", "stage": "START",
//    "metadata": {}}
// Addresses and streams are decimal text, because they may pass 2^53. Texts end after 4,096 bytes.

#include "memviz/recording.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Events of one device, both ends included. An event without a time is in no range bounded by time.
struct EventRange {
  EventIndex first_event{0};
  EventIndex last_event = kLastPossibleEvent; ///< nullopt: there are none in it
  std::optional<std::int64_t> first_us;
  std::optional<std::int64_t> last_us;
};

/// An address, or the name of an allocation or segment.
struct TraceAddress {
  std::uint64_t address = 0;
  struct Name {
    std::uint64_t use = 0; ///< the number of earlier uses of the address
    bool is_segment = false;
  };
  std::optional<Name> name;
};

/// The filter of a log: which events it contains.
struct TraceFilter {
  std::vector<Action> actions; ///< only these; empty: all
  /// Keeps only the events of this name, or, for a plain address, every memory event that covers it.
  std::optional<TraceAddress> address;
  std::optional<DeviceId> device;
  std::optional<std::int64_t> stream;
  std::uint64_t min_bytes = 0;
  std::string stack;                    ///< RE2; only events with a matching frame; empty: all
  std::map<DeviceId, EventRange> range; ///< by device; a missing device is kept whole
  bool annotations = true;              ///< whether the log contains the marks of record_function, by time
};

/// document: the objects of ndjson as elements of an array, between the head and the tail from trace_json.hpp.
enum class TraceFormat : std::uint8_t { text, ndjson, document };
enum class TraceTime : std::uint8_t { relative, absolute }; ///< relative to the device's first event; UTC

struct TraceOptions {
  TraceFilter filter;
  TraceFormat format = TraceFormat::text;
  TraceTime time = TraceTime::relative; ///< in text; ndjson has microseconds since 1970
  bool stacks = false;                  ///< every frame, not only the user's own line
};

/// The facts about a trace that are needed before its first line is written; a sink for a first pass over the events.
class TraceSurvey final : public EventSink {
public:
  struct Device {
    std::uint64_t events = 0;
    std::optional<std::int64_t> first_us; ///< of the first event that has a time
    std::optional<std::int64_t> last_us;
    struct Change {
      std::uint64_t event = 0;
      std::uint64_t address = 0;
      std::uint64_t end = 0;
    };
    std::vector<Change> segment_changes; ///< mapped or released by segment events
  };

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  [[nodiscard]] const Device& device(DeviceId device) const;
  [[nodiscard]] unsigned restarts() const noexcept { return restarts_; }

private:
  std::map<DeviceId, Device> devices_;
  unsigned restarts_ = 0;
};

/// Writes the log in a second pass over the events of `recording`, after `survey` received those of the first.
class TraceLog final : public EventSink {
public:
  /// `write` receives the log piece by piece, also in the middle of a line if it is long. Both references must outlive
  /// this object. Throws UsageError if an expression in the filter is not RE2.
  TraceLog(const Recording& recording, const TraceSurvey& survey, const TraceOptions& options,
           std::function<void(std::string_view)> write);
  ~TraceLog() override;
  TraceLog(const TraceLog&) = delete;
  TraceLog& operator=(const TraceLog&) = delete;

  /// Throws Error if the events are not those of the first pass or the log is out of proportion to the file; also
  /// throws the exceptions of `write`.
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// Writes the rest of the log. Returns the number of events in it.
  std::uint64_t finish();

private:
  class Log;
  std::unique_ptr<Log> log_;
};

} // namespace memviz
