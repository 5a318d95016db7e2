#include "snapshot/trace_reader.hpp"

#include "snapshot/segment_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace memviz {
namespace {

namespace event_field {
enum {
  action,
  addr,
  device_free,
  size,
  stream,
  time_us,
  frames,
  compile_context,
  user_metadata,
  pool_id,
  forward_frames
};
}

/// A segment's device has the same bound; each device has its own accounts.
constexpr std::uint64_t kMostDevices = 65536;

/// Whether the accounts depend on the size of such an event.
bool needs_size(Action action) {
  return action != Action::other && action != Action::snapshot && action != Action::free_requested;
}

} // namespace

TraceReader::TraceReader(const Document& document, FrameReader& frames, Budget& budget, Recording& recording,
                         EventSink& sink)
    : document_(document), frames_(frames), budget_(budget), recording_(recording), sink_(sink), batch_(kBatchEvents),
      check_(document), fields_(document, kEventKeys) {
}

void TraceReader::read_traces(Value device_traces) {
  flush();
  const Where place{nullptr, "device_traces"};
  if (document_.list_size(device_traces) > kMostDevices) {
    fail_at(place, device_traces, "traces of at most 65536 devices",
            std::to_string(document_.list_size(device_traces)));
  }
  DeviceId device;
  document_.for_each(device_traces, [&](Value events) {
    read_trace(device, events, device_traces);
    ++device.value;
    return true;
  });
  flush();
  if (device.value > 0) static_cast<void>(recording_.event_counts.make({device.value - 1}));
}

void TraceReader::read_trace(DeviceId device, Value events, Value device_traces) {
  const Where where{nullptr, "device_traces", device.value};
  if (events.kind() == Kind::record_list) return;
  check_.require(events, Kind::list, where, device_traces);
  budget_.spend(document_.list_size(events), where, events);
  trace_ = events;
  std::size_t index = 0;
  document_.for_each(events, [&](Value dict) {
    const Where event_where{&where, "", index++};
    check_.require(dict, Kind::dict, event_where, events);
    add(device, fields_.read(dict), event_where, dict);
    return true;
  });
}

void TraceReader::add(DeviceId device, const EventFields::Row& row, const Where& where, Value dict) {
  if (batch_size_ == kBatchEvents || device != batch_device_) flush();
  batch_device_ = device;
  batch_[batch_size_] = read_event(row, dict, where);
  ++batch_size_;
}

void TraceReader::flush() {
  if (batch_size_ == 0) return;
  const Where where{nullptr, "device_traces", batch_device_.value};
  if (batch_device_.value >= kMostDevices) fail_at(where, trace_, "traces of at most 65536 devices", "more");
  std::uint64_t& count = recording_.event_counts.make(batch_device_);
  if (count == 0) budget_.spend_device(where, trace_);
  count += batch_size_;
  sink_.take(batch_device_, std::span(batch_).first(batch_size_));
  batch_size_ = 0;
}

Event TraceReader::read_event(const EventFields::Row& row, Value dict, const Where& where) {
  namespace field = event_field;
  const auto at = [&](std::string_view key) { return Where{&where, key}; };

  Event event;
  read_action(event, row[field::action], at("action"), dict);
  const Value address = is_present(row[field::addr]) ? row[field::addr] : row[field::device_free];
  read_address(event, address, at("addr"), dict);
  read_size(event, row[field::size], at("size"), dict);
  read_stream(event, row[field::stream], at("stream"), dict);
  event.stack = frames_.stack(row[field::frames], at("frames"), dict);
  read_time(event, row[field::time_us]);
  read_compile_context(event, row[field::compile_context]);
  read_user_metadata(event, row[field::user_metadata]);
  read_pool(event, row[field::pool_id], at("pool_id"), dict);
  read_forward_frames(event, row[field::forward_frames], at("forward_frames"), dict);
  return event;
}

void TraceReader::add_rows(DeviceId device, const EventCells& rows) {
  if (device != batch_device_) flush();
  batch_device_ = device;
  const std::size_t count = rows.cells.size() / rows.width;
  for (std::size_t row = 0; row < count;) {
    if (batch_size_ == kBatchEvents) flush();
    const std::size_t more = std::min(kBatchEvents - batch_size_, count - row);
    read_rows(rows, row, std::span(batch_).subspan(batch_size_, more));
    batch_size_ += more;
    row += more;
  }
}

/// Key by key: all that a loop needs stays in registers, and its branches go the same way again and again.
void TraceReader::read_rows(const EventCells& rows, std::size_t first_row, std::span<Event> events) {
  namespace field = event_field;
  static constexpr Value kAbsent;
  const Where nowhere{nullptr, "device_traces"};
  const auto for_key = [&](std::size_t key, auto&& read) {
    const int column = rows.columns[key];
    const std::size_t width = column < 0 ? 0 : rows.width;
    const Value* cell = column < 0 ? &kAbsent : &rows.cells[first_row * width + static_cast<std::size_t>(column)];
    for (Event& event : events) {
      read(event, *cell);
      cell += width;
    }
  };
  for_key(field::action, [&](Event& event, Value value) { read_action(event, value, nowhere, {}); });
  const bool has_free = rows.columns[field::device_free] >= 0;
  if (has_free)
    for_key(field::device_free, [&](Event& event, Value value) { read_address(event, value, nowhere, {}); });
  for_key(field::addr, [&](Event& event, Value value) {
    if (!has_free || is_present(value)) read_address(event, value, nowhere, {});
  });
  for_key(field::size, [&](Event& event, Value value) { read_size(event, value, nowhere, {}); });
  for_key(field::stream, [&](Event& event, Value value) { read_stream(event, value, nowhere, {}); });
  for_key(field::frames, [&](Event& event, Value value) { event.stack = frames_.stack(value, nowhere, {}); });
  for_key(field::time_us, [&](Event& event, Value value) { read_time(event, value); });
  for_key(field::compile_context, [&](Event& event, Value value) { read_compile_context(event, value); });
  for_key(field::user_metadata, [&](Event& event, Value value) { read_user_metadata(event, value); });
  for_key(field::pool_id, [&](Event& event, Value value) { read_pool(event, value, nowhere, {}); });
  for_key(field::forward_frames, [&](Event& event, Value value) { read_forward_frames(event, value, nowhere, {}); });
}

void TraceReader::read_action(Event& event, Value value, const Where& where, Value dict) {
  check_.require(value, Kind::text, where, dict);
  const auto number = static_cast<std::size_t>(value.payload());
  if (number >= actions_.size()) actions_.resize(number + 1);
  if (!actions_[number]) actions_[number] = action_of(document_.text(value));
  event.action = *actions_[number];
  event.action_text = event.action == Action::other ? text_or_empty(TextKind::action, value) : kEmptyString;
}

void TraceReader::read_address(Event& event, Value value, const Where& where, Value dict) const {
  event.address = is_present(value) ? check_.bits(value, where, dict) : 0;
}

void TraceReader::read_size(Event& event, Value value, const Where& where, Value dict) const {
  const bool is_needed = is_present(value) || needs_size(event.action);
  event.size_bytes = is_needed ? check_.size(value, where, dict) : 0;
}

void TraceReader::read_stream(Event& event, Value value, const Where& where, Value dict) const {
  event.stream = is_present(value) ? static_cast<std::int64_t>(check_.bits(value, where, dict)) : 0;
}

void TraceReader::read_time(Event& event, Value value) {
  event.time_us = is_present(value) ? document_.as_signed(value) : std::nullopt;
  saw_time_ = saw_time_ || event.time_us.has_value();
}

void TraceReader::read_compile_context(Event& event, Value value) {
  event.compile_context = text_or_empty(TextKind::compile_context, value);
  saw_compile_context_ = saw_compile_context_ || is_present(value);
}

void TraceReader::read_user_metadata(Event& event, Value value) {
  event.user_metadata = text_or_empty(TextKind::metadata, value);
  saw_user_metadata_ = saw_user_metadata_ || is_present(value);
}

void TraceReader::read_pool(Event& event, Value value, const Where& where, Value dict) {
  event.pool.reset();
  if (!is_present(value)) return;
  if (value != latest_pool_) latest_pool_id_ = read_pool_id(document_, value, where, dict);
  latest_pool_ = value;
  event.pool = latest_pool_id_;
  saw_pool_ = true;
}

void TraceReader::read_forward_frames(Event& event, Value value, const Where& where, Value dict) {
  event.forward_stack = frames_.text_stack(value, where, dict); // kNoFrames of none
  saw_pool_ = saw_pool_ || is_present(value);
}

} // namespace memviz
