#include "sqlite/recording_tables.hpp"

namespace memviz {

namespace {

std::optional<std::uint32_t> id_or_none(StringId text) {
  return text == kEmptyString ? std::nullopt : std::optional(text.value);
}

std::optional<std::uint32_t> id_or_none(StackId frames) {
  return frames == kNoFrames ? std::nullopt : std::optional(frames.value);
}

/// Returns a null pointer where the pool is unknown.
const std::uint64_t* pool_part(const Event& event, std::uint64_t PoolId::*part) {
  return event.pool ? &(*event.pool.*part) : nullptr;
}

bool has_notes(const Event& event) {
  for (const StringId text : {event.action_text, event.user_metadata, event.internal_metadata})
    if (text != kEmptyString) return true;
  return event.forward_stack != kNoFrames;
}

} // namespace

EventRows::EventRows(Database& database, std::optional<DeviceId> device)
    : database_(database), only_(device),
      rows_(database, "INSERT INTO memviz_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      notes_(database, "INSERT INTO memviz_event_notes VALUES (?, ?, ?, ?, ?, ?)") {
}

void EventRows::take(DeviceId device, std::span<const Event> events) {
  if (only_ && *only_ != device) return;
  // The traces of several devices come one after the other.
  if (current_ != device) index_ = 0;
  current_ = device;
  for (const Event& event : events) {
    rows_.row(device_number(device), index_, action_name(event.action), event.address, event.size_bytes, event.stream,
              event.time_us, id_or_none(event.stack), pool_part(event, &PoolId::first),
              pool_part(event, &PoolId::second), id_or_none(event.compile_context));
    if (has_notes(event))
      notes_.row(device_number(device), index_, id_or_none(event.action_text), id_or_none(event.user_metadata),
                 id_or_none(event.internal_metadata), id_or_none(event.forward_stack));
    ++index_;
  }
}

void EventRows::restart() {
  database_.run("DELETE FROM memviz_events; DELETE FROM memviz_event_notes;");
  current_.reset();
}

} // namespace memviz
