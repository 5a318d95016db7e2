#pragma once

// `device_traces` and `host_traces` of the document -> Events for a sink.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "recording/keys.hpp"
#include "value/fields.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memviz {

using EventFields = FieldReader<kEventKeys.read.size()>;

/// Values of events that lie in rows of `width`, and in which column each key is; -1: in none.
struct EventCells {
  std::span<const Value> cells;
  std::size_t width = 0;
  EventFields::Columns columns{};
};

class TraceReader {
public:
  /// Events go to `sink`, their number and everything else to `snapshot`.
  TraceReader(const Document& document, FrameReader& frames, Budget& budget, Recording& recording, EventSink& sink);

  /// The next event of `device`: the values of kEventKeys in `dict`.
  void add(DeviceId device, const EventFields::Row& row, const Field& dict);
  /// The next events of `device`. What is wrong with one has no place yet.
  void add_rows(DeviceId device, const EventCells& rows);
  /// Hands over what was added and not handed over yet.
  void flush();
  /// Reads the lists of `device_traces`. The records of a list that is a Kind::record_list were added before.
  void read_traces(Value lists);
  /// The events of pinned host memory: one list, not one a device. With `leaves_out`, events that cannot be read are
  /// counted instead of thrown.
  void read_host_trace(Value events, bool leaves_out);

  /// The reader of the keys of all events; it knows the keys that nothing reads.
  [[nodiscard]] EventFields& fields() noexcept { return fields_; }
  /// After all events: warns of what was left out of them.
  void warn() const;

  // The signs that distinguish the generations of writers.
  [[nodiscard]] bool saw_time() const { return saw_time_; }
  [[nodiscard]] bool saw_compile_context() const { return saw_compile_context_; }
  [[nodiscard]] bool saw_user_metadata() const { return saw_user_metadata_; }
  [[nodiscard]] bool saw_pool() const { return saw_pool_; }

private:
  /// A sink is called once for so many events.
  static constexpr std::size_t kBatchEvents = 256;

  void read_trace(DeviceId device, const Field& events, bool leaves_out);
  /// The list whose events wait, for messages.
  [[nodiscard]] Field batch_trace() const;
  Event read_event(const EventFields::Row& row, const Field& dict);
  void read_rows(const EventCells& rows, std::size_t first_row, std::span<Event> events);
  // One key of an event, which may hold another one's; absent values give what an Event begins with.
  void read_action(Event& event, const Field& field);
  void read_address(Event& event, const Field& field) const;
  void read_size(Event& event, const Field& field) const;
  void read_stream(Event& event, const Field& field) const;
  void read_time(Event& event, Value value);
  void read_compile_context(Event& event, Value value);
  void read_user_metadata(Event& event, Value value);
  void read_pool(Event& event, const Field& field);
  void read_forward_frames(Event& event, const Field& field);
  void read_internal_metadata(Event& event, Value value);
  void read_category(Event& event, Value value);
  [[nodiscard]] StringId text_or_empty(TextKind kind, Value value) {
    return value.kind() == Kind::text ? frames_.text(kind, value) : kEmptyString;
  }

  const Document& document_;
  FrameReader& frames_;
  Budget& budget_;
  Recording& recording_;
  EventSink& sink_;
  DeviceId batch_device_;
  std::vector<Event> batch_; ///< kBatchEvents, of which the first batch_size_ are waiting; the others are used again
  std::size_t batch_size_ = 0;
  EventFields fields_;
  std::vector<std::optional<Action>> actions_; ///< by number of the text
  Value trace_; ///< the list whose events are being read, for messages; unset while the file is still being decoded
  Value latest_pool_;                    ///< the tuple; events mostly have the pool of the one before
  std::optional<PoolId> latest_pool_id_; ///< none where it is not a pair of ints
  std::uint64_t malformed_pools_ = 0;
  std::uint64_t malformed_forward_frames_ = 0;
  std::uint64_t malformed_host_events_ = 0;
  std::string first_host_error_;
  bool saw_time_ = false;
  bool saw_compile_context_ = false;
  bool saw_user_metadata_ = false;
  bool saw_pool_ = false;
};

} // namespace memviz
