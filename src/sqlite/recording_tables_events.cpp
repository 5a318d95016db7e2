#include "sqlite/recording_tables.hpp"

namespace memviz {

namespace {

/// As the table is declared.
enum Column {
  device,
  event,
  action,
  address,
  size_bytes,
  stream,
  time_us,
  stack,
  pool_first,
  pool_second,
  compile_context
};
constexpr int kColumns = compile_context + 1;

std::optional<std::uint32_t> id_or_none(StringId text) {
  return text == kEmptyString ? std::nullopt : std::optional(text.value);
}

std::optional<std::uint32_t> id_or_none(StackId frames) {
  return frames == kNoFrames ? std::nullopt : std::optional(frames.value);
}

bool has_notes(const Event& event) {
  for (const StringId text : {event.action_text, event.user_metadata, event.internal_metadata})
    if (text != kEmptyString) return true;
  return event.forward_stack != kNoFrames;
}

} // namespace

EventRows::EventRows(Database& database, std::optional<DeviceId> device)
    : database_(database), only_(device), rows_(database, "memviz_events", kColumns, *this),
      notes_(database, "INSERT INTO memviz_event_notes VALUES (?, ?, ?, ?, ?, ?)") {
}

void EventRows::take(DeviceId device, std::span<const Event> events) {
  if (only_ && *only_ != device) return;
  // The traces of several devices come one after the other.
  if (current_ != device) index_ = 0;
  current_ = device;
  batch_ = events;
  rows_.insert();
  for (const Event& event : events) {
    if (has_notes(event))
      notes_.row(device_number(device), index_, id_or_none(event.action_text), id_or_none(event.user_metadata),
                 id_or_none(event.internal_metadata), id_or_none(event.forward_stack));
    ++index_;
  }
  batch_ = {};
}

void EventRows::put(std::size_t row, int column, Cell cell) const {
  const Event& of = batch_[row];
  switch (column) {
  case device: return cell.put(device_number(*current_));
  case event: return cell.put(index_ + static_cast<std::int64_t>(row));
  case action: return cell.put_constant(action_name(of.action));
  case address: return cell.put(of.address);
  case size_bytes: return cell.put(of.size_bytes);
  case stream: return cell.put(of.stream);
  case time_us: return cell.put(of.time_us);
  case stack: return cell.put(id_or_none(of.stack));
  case pool_first: return of.pool ? cell.put(of.pool->first) : void();
  case pool_second: return of.pool ? cell.put(of.pool->second) : void();
  case compile_context: return cell.put(id_or_none(of.compile_context));
  default: return;
  }
}

void EventRows::restart() {
  database_.run("DELETE FROM memviz_events; DELETE FROM memviz_event_notes;");
  current_.reset();
}

} // namespace memviz
