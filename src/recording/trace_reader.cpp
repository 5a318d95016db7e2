#include "recording/trace_reader.hpp"

#include "memviz/format.hpp"
#include "recording/segment_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace memviz {
namespace {

/// Throws SchemaError for a stand-in: its value is no longer known, but the plain reader sees it.
void refuse_stand_in(const Field& field) {
  if (is_stand_in(field.value.kind())) field.fail("plain data", value_name(field.value.kind()));
}

[[noreturn]] void fail_too_many(const Field& traces, const std::string& found) {
  traces.fail(fmt::format("traces of at most {} devices", kMostDeviceIds), found);
}

/// Whether the accounts depend on the size of such an event.
bool needs_size(Action action) {
  return action != Action::other && action != Action::snapshot && action != Action::annotate &&
         action != Action::free_requested;
}

} // namespace

TraceReader::TraceReader(const Document& document, FrameReader& frames, Budget& budget, Recording& recording,
                         EventSink& sink)
    : document_(document), frames_(frames), budget_(budget), recording_(recording), sink_(sink), batch_(kBatchEvents),
      fields_(document, kEventKeys.read) {
  sink.begin(recording.frames);
}

void TraceReader::read_traces(Value lists) {
  flush();
  const Field device_traces{lists, nullptr, "device_traces"};
  if (const std::uint64_t count = document_.list_size(lists); count > kMostDeviceIds)
    fail_too_many(device_traces, std::to_string(count));
  DeviceId device;
  document_.for_each(lists, [&](Value events) {
    read_trace(device, device_traces.item(device.value, events), false);
    ++device.value;
    return true;
  });
  flush();
}

void TraceReader::read_host_trace(Value events, bool leaves_out) {
  flush();
  read_trace(kHostDevice, {events, nullptr, "host_traces"}, leaves_out);
  flush();
}

void TraceReader::warn() const {
  const auto warn_of = [&](std::uint64_t count, std::string_view key, std::string_view expected) {
    if (count == 0) return;
    recording_.warnings.push_back(fmt::format("{} {} a '{}' that is not {}: omitted", format_counted(count, "event"),
                                              count == 1 ? "has" : "have", key, expected));
  };
  warn_of(malformed_pools_, "pool_id", "a pair of ints");
  warn_of(malformed_forward_frames_, "forward_frames", "a list");
  if (malformed_host_events_ > 0)
    recording_.warnings.push_back(fmt::format("{} of 'host_traces' {} omitted, the first: {}",
                                              format_counted(malformed_host_events_, "event"),
                                              malformed_host_events_ == 1 ? "is" : "are", first_host_error_));
}

void TraceReader::read_trace(DeviceId device, const Field& events, bool leaves_out) {
  if (events.value.kind() == Kind::record_list) return;
  events.require(Kind::list);
  budget_.spend(document_.list_size(events.value), events);
  trace_ = events.value;
  std::size_t index = 0;
  document_.for_each(events.value, [&](Value event) {
    const Field dict = events.item(index++, event);
    try {
      dict.require(Kind::dict);
      add(device, fields_.read(event), dict);
    } catch (const SchemaError& error) {
      if (!leaves_out) throw;
      if (malformed_host_events_++ == 0) first_host_error_ = error.what();
    }
    return true;
  });
}

void TraceReader::add(DeviceId device, const EventFields::Row& row, const Field& dict) {
  if (batch_size_ == kBatchEvents || device != batch_device_) flush();
  batch_device_ = device;
  batch_[batch_size_] = read_event(row, dict);
  ++batch_size_;
}

Field TraceReader::batch_trace() const {
  if (is_host(batch_device_)) return {trace_, nullptr, "host_traces"};
  return {trace_, nullptr, "device_traces", batch_device_.value};
}

void TraceReader::flush() {
  if (batch_size_ == 0) return;
  if (batch_device_.value >= kMostDeviceIds && !is_host(batch_device_)) fail_too_many(batch_trace(), "more");
  recording_.event_counts.make(batch_device_) += batch_size_;
  sink_.take(batch_device_, std::span(batch_).first(batch_size_));
  batch_size_ = 0;
}

Event TraceReader::read_event(const EventFields::Row& row, const Field& dict) {
  const auto at = [&](std::size_t number) { return fields_.field(dict, row, number); };

  Event event;
  read_action(event, at(kEventKeys["action"]));
  Field address = at(kEventKeys["addr"]);
  if (!address.is_present()) address.value = row[kEventKeys["device_free"]];
  read_address(event, address);
  read_size(event, at(kEventKeys["size"]));
  read_stream(event, at(kEventKeys["stream"]));
  event.stack = frames_.stack(at(kEventKeys["frames"]));
  read_time(event, row[kEventKeys["time_us"]]);
  read_compile_context(event, row[kEventKeys["compile_context"]]);
  read_user_metadata(event, row[kEventKeys["user_metadata"]]);
  read_pool(event, at(kEventKeys["pool_id"]));
  read_forward_frames(event, at(kEventKeys["forward_frames"]));
  read_internal_metadata(event, row[kEventKeys["internal_metadata"]]);
  read_category(event, row[kEventKeys["category"]]);
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

/// Key by key: everything a loop needs stays in registers, and its branches are predictable.
void TraceReader::read_rows(const EventCells& rows, std::size_t first_row, std::span<Event> events) {
  static constexpr Value kAbsent;
  const Field nowhere{{}, nullptr, "device_traces"};
  const auto for_key = [&](std::size_t key, auto&& read) {
    const int column = rows.columns[key];
    const std::size_t width = column < 0 ? 0 : rows.width;
    const Value* value = column < 0 ? &kAbsent : &rows.cells[first_row * width + static_cast<std::size_t>(column)];
    Field cell{{}, &nowhere};
    for (Event& event : events) {
      cell.value = *value;
      read(event, cell);
      value += width;
    }
  };
  for_key(kEventKeys["action"], [&](Event& event, const Field& cell) { read_action(event, cell); });
  const bool has_free = rows.columns[kEventKeys["device_free"]] >= 0;
  if (has_free) for_key(kEventKeys["device_free"], [&](Event& event, const Field& cell) { read_address(event, cell); });
  for_key(kEventKeys["addr"], [&](Event& event, const Field& cell) {
    if (!has_free || cell.is_present()) read_address(event, cell);
  });
  for_key(kEventKeys["size"], [&](Event& event, const Field& cell) { read_size(event, cell); });
  for_key(kEventKeys["stream"], [&](Event& event, const Field& cell) { read_stream(event, cell); });
  for_key(kEventKeys["frames"], [&](Event& event, const Field& cell) { event.stack = frames_.stack(cell); });
  for_key(kEventKeys["time_us"], [&](Event& event, const Field& cell) { read_time(event, cell.value); });
  for_key(kEventKeys["compile_context"],
          [&](Event& event, const Field& cell) { read_compile_context(event, cell.value); });
  for_key(kEventKeys["user_metadata"], [&](Event& event, const Field& cell) { read_user_metadata(event, cell.value); });
  for_key(kEventKeys["pool_id"], [&](Event& event, const Field& cell) { read_pool(event, cell); });
  for_key(kEventKeys["forward_frames"], [&](Event& event, const Field& cell) { read_forward_frames(event, cell); });
  for_key(kEventKeys["internal_metadata"],
          [&](Event& event, const Field& cell) { read_internal_metadata(event, cell.value); });
  const bool has_category = rows.columns[kEventKeys["category"]] >= 0;
  if (has_category)
    for_key(kEventKeys["category"], [&](Event& event, const Field& cell) { read_category(event, cell.value); });
}

void TraceReader::read_action(Event& event, const Field& field) {
  field.require(Kind::text);
  const auto number = static_cast<std::size_t>(field.value.payload());
  if (number >= actions_.size()) actions_.resize(number + 1);
  if (!actions_[number]) actions_[number] = action_of(document_.text(field.value));
  event.action = *actions_[number];
  event.action_text = event.action == Action::other ? text_or_empty(TextKind::action, field.value) : kEmptyString;
}

void TraceReader::read_address(Event& event, const Field& field) const {
  event.address = field.is_present() ? field.bits(document_) : 0;
}

void TraceReader::read_size(Event& event, const Field& field) const {
  const bool is_needed = field.is_present() || needs_size(event.action);
  event.size_bytes = is_needed ? field.size(document_) : 0;
}

void TraceReader::read_stream(Event& event, const Field& field) const {
  event.stream = field.is_present() ? static_cast<std::int64_t>(field.bits(document_)) : 0;
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

void TraceReader::read_pool(Event& event, const Field& field) {
  event.pool.reset();
  if (!field.is_present()) return;
  if (field.value != latest_pool_) {
    refuse_stand_in(field);
    latest_pool_id_ = pool_id_of(document_, field.value);
  }
  latest_pool_ = field.value;
  event.pool = latest_pool_id_;
  saw_pool_ = true;
  if (!event.pool) ++malformed_pools_;
}

void TraceReader::read_forward_frames(Event& event, const Field& field) {
  saw_pool_ = saw_pool_ || field.is_present();
  const Kind kind = field.value.kind();
  if (field.is_present() && kind != Kind::list && kind != Kind::digest) {
    refuse_stand_in(field);
    event.forward_stack = kNoFrames;
    ++malformed_forward_frames_;
    return;
  }
  event.forward_stack = frames_.text_stack(field); // kNoFrames of none
}

void TraceReader::read_internal_metadata(Event& event, Value value) {
  event.internal_metadata = text_or_empty(TextKind::metadata, value);
}

/// Snapshots by PyTorch's profiler record the kind of memory of each allocation.
void TraceReader::read_category(Event& event, Value value) {
  if (event.internal_metadata == kEmptyString) event.internal_metadata = text_or_empty(TextKind::metadata, value);
}

} // namespace memviz
