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

/// Values of events in rows of `width`, and the column of each key; -1: none.
struct EventCells {
  std::span<const Value> cells;
  std::size_t width = 0;
  EventFields::Columns columns{};
};

class TraceReader {
public:
  /// Events go to `sink`; their number and everything else go to `snapshot`.
  TraceReader(const Document& document, FrameReader& frames, Budget& budget, Recording& recording, EventSink& sink);

  /// Adds the next event of `device`: the values of kEventKeys in `dict`.
  void add(DeviceId device, const EventFields::Row& row, const Field& dict);
  /// Adds the next events of `device`. Errors in them have no place yet.
  void add_rows(DeviceId device, const EventCells& rows);
  /// Passes on the events that were added and not passed on yet.
  void flush();
  /// Reads the lists of `device_traces`. The records of a list that is a Kind::record_list were added before.
  void read_traces(Value lists);
  /// Reads the events of pinned host memory: one list, not one per device. With `leaves_out`, unreadable events are
  /// counted instead of thrown.
  void read_host_trace(Value events, bool leaves_out);

  /// Returns the reader of the keys of all events, which knows the unread keys.
  [[nodiscard]] EventFields& fields() noexcept { return fields_; }
  /// Called after all events: warns about omitted ones.
  void warn() const;

  // The signs that distinguish the generations of writers.
  [[nodiscard]] bool saw_time() const { return saw_time_; }
  [[nodiscard]] bool saw_compile_context() const { return saw_compile_context_; }
  [[nodiscard]] bool saw_user_metadata() const { return saw_user_metadata_; }
  [[nodiscard]] bool saw_pool() const { return saw_pool_; }

private:
  /// The number of events in a batch for a sink.
  static constexpr std::size_t kBatchEvents = 256;

  void read_trace(DeviceId device, const Field& events, bool leaves_out);
  /// The list whose events are pending, for messages.
  [[nodiscard]] Field batch_trace() const;
  Event read_event(const EventFields::Row& row, const Field& dict);
  void read_rows(const EventCells& rows, std::size_t first_row, std::span<Event> events);
  // Sets one key of an event, which may hold another event's values; absent keys get the default of Event.
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
  std::vector<Event> batch_; ///< kBatchEvents, of which the first batch_size_ are pending; the others are reused
  std::size_t batch_size_ = 0;
  EventFields fields_;
  std::vector<std::optional<Action>> actions_; ///< by number of the text
  Value trace_;                          ///< the list whose events are being read, for messages; unset during decoding
  Value latest_pool_;                    ///< the tuple; an event usually has the pool of the previous one
  std::optional<PoolId> latest_pool_id_; ///< nullopt if it is not a pair of ints
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
