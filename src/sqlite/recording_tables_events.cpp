#include "sqlite/recording_tables.hpp"

namespace memviz {

namespace {

std::optional<std::uint32_t> id_or_none(StringId text) {
  return text == kEmptyString ? std::nullopt : std::optional(text.value);
}

std::optional<std::uint32_t> id_or_none(StackId stack) {
  return stack == kNoFrames ? std::nullopt : std::optional(stack.value);
}

} // namespace

EventRows::EventRows(Database& database, std::optional<DeviceId> device)
    : database_(database), only_(device),
      rows_(database, "INSERT INTO memviz_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") {
}

void EventRows::take(DeviceId device, std::span<const Event> events) {
  if (only_ && *only_ != device) return;
  // The traces of several devices come one after the other.
  if (current_ != device) index_ = 0;
  current_ = device;
  for (const Event& event : events)
    rows_.row(device_number(device), index_++, action_name(event.action), event.address, event.size_bytes, event.stream,
              event.time_us, id_or_none(event.stack), event.pool ? std::optional(event.pool->first) : std::nullopt,
              event.pool ? std::optional(event.pool->second) : std::nullopt, id_or_none(event.action_text),
              id_or_none(event.compile_context), id_or_none(event.user_metadata), id_or_none(event.internal_metadata),
              id_or_none(event.forward_stack));
}

void EventRows::restart() {
  database_.run("DELETE FROM memviz_events");
  current_.reset();
}

} // namespace memviz
