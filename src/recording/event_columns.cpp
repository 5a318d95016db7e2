#include "recording/event_columns.hpp"

#include "base/number_map.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
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

/// Fills a table column by column, which takes a third of the time of a loop over events.
class EventTableReader {
public:
  EventTableReader(ColumnReader& reader, const FrameTable& frames)
      : reader_(reader), frames_(frames), size_(reader.count()) {}

  /// In the order of write_events().
  EventTable read() {
    EventTable& all = events_;
    actions();
    distances();
    addresses();
    differences(all.sizes_);
    differences(all.streams_);
    flags(all.has_time_);
    times();
    stacks(all.stacks_);
    stacks(all.forward_stacks_);
    flags(all.has_pool_);
    const auto has_pool = [&](std::uint32_t i) { return all.has_pool_[i] != 0; };
    differences(all.first_pool_ids_, has_pool);
    differences(all.second_pool_ids_, has_pool);
    texts(all.action_texts_, [&](std::uint32_t i) { return all.actions_[i] == Action::other; });
    texts(all.compile_contexts_);
    texts(all.user_metadata_);
    texts(all.internal_metadata_);
    return std::move(all);
  }

private:
  static bool always(std::uint32_t /*event*/) { return true; }

  /// Reads the next column; the values are `make(event, number)`.
  template <class Column, class Make> void column(Column& target, const Make& make, std::size_t least_width = 0) {
    const ColumnView numbers = reader_.column(size_);
    reader_.check(size_ == 0 || numbers.width() >= least_width);
    constexpr std::uint32_t kBatch = 1U << 12U;
    for (std::uint32_t i = 0; i < size_; i += std::min(kBatch, size_ - i))
      batch(target, numbers, i, i + std::min(kBatch, size_ - i), make);
  }
  /// A function that is called often, because browsers compile a function anew for speed only for later calls.
  template <class Column, class Make>
  [[gnu::noinline]] static void batch(Column& target, const ColumnView& numbers, std::uint32_t begin, std::uint32_t end,
                                      const Make& make) {
    for (std::uint32_t i = begin; i < end; ++i)
      target.push_back(make(i, numbers[i]));
  }
  void actions() {
    const auto action = [&](std::uint32_t /*event*/, std::uint64_t number) {
      reader_.check(number <= static_cast<std::uint64_t>(Action::other));
      return static_cast<Action>(number);
    };
    column(events_.actions_, action, 1);
  }
  void distances() {
    distances_.reserve(size_);
    column(distances_, [&](std::uint32_t event, std::uint64_t number) {
      reader_.check(number <= event);
      return static_cast<std::uint32_t>(number);
    });
  }
  void addresses() {
    std::uint64_t latest = 0;
    column(events_.addresses_, [&](std::uint32_t event, std::uint64_t number) {
      return distances_[event] == 0 ? latest += unfolded(number) : events_.addresses_[event - distances_[event]];
    });
  }
  void times() {
    std::uint64_t latest = 0;
    column(events_.times_, [&](std::uint32_t event, std::uint64_t number) {
      latest += unfolded(number);
      return events_.has_time_[event] != 0 ? number_of(latest) : 0;
    });
  }
  template <class Column> void flags(Column& target) {
    column(target, [](std::uint32_t /*event*/, std::uint64_t number) { return std::uint8_t{number != 0}; });
  }
  /// Reads differences from the previous event at the same address.
  template <class Column, class IsThere = decltype(always)>
  void differences(Column& target, const IsThere& is_there = always) {
    column(target, [&](std::uint32_t event, std::uint64_t number) {
      const std::uint64_t before =
          distances_[event] == 0 ? 0 : static_cast<std::uint64_t>(target[event - distances_[event]]);
      return is_there(event) ? static_cast<std::decay_t<decltype(target[0])>>(before + unfolded(number)) : 0;
    });
  }
  template <class Column> void stacks(Column& target) {
    column(target, [&](std::uint32_t /*event*/, std::uint64_t number) {
      reader_.check(number < frames_.stack_count());
      return StackId{static_cast<std::uint32_t>(number)};
    });
  }
  template <class Column, class IsThere = decltype(always)>
  void texts(Column& target, const IsThere& is_there = always) {
    column(target, [&](std::uint32_t event, std::uint64_t number) {
      reader_.check(number < frames_.string_count());
      return is_there(event) ? StringId{static_cast<std::uint32_t>(number)} : kEmptyString;
    });
  }

  ColumnReader& reader_;
  const FrameTable& frames_;
  std::uint32_t size_;
  std::vector<std::uint32_t> distances_; ///< how many events ago the address was last used
  EventTable events_;
};

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
  return EventTableReader(reader, frames).read();
}

} // namespace memviz
