#include "recording/event_columns.hpp"

#include "base/number_map.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace memviz {
namespace {

std::uint64_t bits(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

std::int64_t number_of(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits);
}

/// Returns, by event, how many events ago the last one at the same address was; 0 for the first.
std::vector<std::uint32_t> distances_of(const EventTable& events) {
  std::vector<std::uint32_t> distances;
  distances.reserve(events.size());
  NumberMap latest;
  for (std::size_t i = 0; i < events.size(); ++i)
    distances.push_back(static_cast<std::uint32_t>(i - latest.insert(events.address(i), i).value_or(i)));
  return distances;
}

} // namespace

// The reader requests the columns in the order in which the writer adds them.

void write_events(ColumnWriter& writer, const EventTable& events) {
  const std::vector<std::uint32_t> distances = distances_of(events);
  std::vector<std::uint64_t> values(events.size());
  const auto column = [&](const auto& value_of, unsigned least_width = 0) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = value_of(i);
    writer.column(values, least_width);
  };
  // Encodes the difference from value_of(event) of the previous event at the same address.
  const auto difference = [&](const auto& value_of) {
    column([&](std::size_t i) {
      const Event before = distances[i] == 0 ? Event{} : events[i - distances[i]];
      return folded(value_of(events[i]) - value_of(before));
    });
  };
  const auto member = [&](const auto& value_of) { column([&](std::size_t i) { return value_of(events[i]); }); };

  writer.count(events.size());
  // At least one byte per event, so that no file expands into more events than it has bytes.
  column([&](std::size_t i) { return static_cast<std::uint64_t>(events.action(i)); }, 1);
  column([&](std::size_t i) { return std::uint64_t{distances[i]}; });
  std::uint64_t address = 0;
  column([&](std::size_t i) {
    if (distances[i] != 0) return std::uint64_t{0};
    const std::uint64_t before = std::exchange(address, events.address(i));
    return folded(address - before);
  });
  difference([](const Event& event) { return event.size_bytes; });
  difference([](const Event& event) { return bits(event.stream); });
  member([](const Event& event) { return std::uint64_t{event.time_us ? 1U : 0U}; });
  std::uint64_t time = 0;
  column([&](std::size_t i) {
    const std::uint64_t before = std::exchange(time, events[i].time_us ? bits(*events[i].time_us) : time);
    return folded(time - before);
  });
  member([](const Event& event) { return std::uint64_t{event.stack.value}; });
  member([](const Event& event) { return std::uint64_t{event.forward_stack.value}; });
  member([](const Event& event) { return std::uint64_t{event.pool ? 1U : 0U}; });
  difference([](const Event& event) { return event.pool.value_or(PoolId{}).first; });
  difference([](const Event& event) { return event.pool.value_or(PoolId{}).second; });
  member([](const Event& event) { return std::uint64_t{event.action_text.value}; });
  member([](const Event& event) { return std::uint64_t{event.compile_context.value}; });
  member([](const Event& event) { return std::uint64_t{event.user_metadata.value}; });
  member([](const Event& event) { return std::uint64_t{event.internal_metadata.value}; });
}

EventTable read_events(ColumnReader& reader, const FrameTable& frames) {
  const std::uint32_t size = reader.count();
  const auto column = [&] { return reader.column(size); };
  const ColumnView action = column(), distance = column(), address = column(), size_bytes = column(), stream = column(),
                   has_time = column(), time = column(), stack = column(), forward_stack = column(),
                   has_pool = column(), pool_first = column(), pool_second = column(), action_text = column(),
                   compile_context = column(), user_metadata = column(), internal_metadata = column();
  reader.check(size == 0 || action.width() > 0);
  const auto id = [&](std::uint64_t value, std::size_t count) {
    reader.check(value < count);
    return static_cast<std::uint32_t>(value);
  };
  const auto text = [&](std::uint64_t value) { return StringId{id(value, frames.string_count())}; };

  EventTable events;
  std::uint64_t new_address = 0;
  std::uint64_t latest_time = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    reader.check(action[i] <= static_cast<std::uint64_t>(Action::other) && distance[i] <= i);
    const bool is_first = distance[i] == 0;
    const Event before = is_first ? Event{} : events[i - static_cast<std::uint32_t>(distance[i])];
    const PoolId pool_before = before.pool.value_or(PoolId{});
    const PoolId pool{pool_before.first + unfolded(pool_first[i]), pool_before.second + unfolded(pool_second[i])};
    if (is_first) new_address += unfolded(address[i]);
    latest_time += unfolded(time[i]);
    events.push({
        .action = static_cast<Action>(action[i]),
        .action_text = text(action_text[i]),
        .address = is_first ? new_address : before.address,
        .size_bytes = before.size_bytes + unfolded(size_bytes[i]),
        .stream = number_of(bits(before.stream) + unfolded(stream[i])),
        .time_us = has_time[i] != 0 ? std::optional(number_of(latest_time)) : std::nullopt,
        .stack = {id(stack[i], frames.stack_count())},
        .compile_context = text(compile_context[i]),
        .user_metadata = text(user_metadata[i]),
        .pool = has_pool[i] != 0 ? std::optional(pool) : std::nullopt,
        .forward_stack = {id(forward_stack[i], frames.stack_count())},
        .internal_metadata = text(internal_metadata[i]),
    });
  }
  return events;
}

} // namespace memviz
