#include "analysis/explain/growth.hpp"

#include <algorithm>

namespace memviz {

namespace {

/// Finds the last low point before the moment: going back, live memory has to fall by a fifth to count as a dip, and
/// the dip ends where it was nearly as high before. In a training loop that is the floor between two steps.
class LowPoint {
public:
  LowPoint(std::uint64_t live_bytes, std::size_t event_count)
      : height_(static_cast<std::int64_t>(live_bytes)), level_(height_), low_(height_),
        event_(EventIndex::last_of(event_count)) {}

  /// Undoes `event`, which has this index. Returns false when the dip has ended.
  bool undo(const EventTable& events, std::size_t index) {
    const auto bytes = static_cast<std::int64_t>(events.size_bytes(index));
    const Action action = events.action(index);
    if (action == Action::alloc) level_ -= bytes;
    if (action == Action::free_completed) level_ += bytes;
    // The segments for the first allocation come directly before it.
    const bool is_same_point =
        level_ == low_ && event_ == EventIndex(index) && action != Action::alloc && action != Action::free_completed;
    if (level_ < low_ || is_same_point) {
      low_ = level_;
      event_ = EventIndex::last_of(index);
    }
    const bool is_dip = low_ <= height_ / 5 * 4;
    return !is_dip || level_ < height_ / 10 * 9;
  }

  [[nodiscard]] EventIndex event() const { return event_; }
  [[nodiscard]] std::uint64_t bytes() const { return low_ < 0 ? 0 : static_cast<std::uint64_t>(low_); }

private:
  std::int64_t height_;
  std::int64_t level_;
  std::int64_t low_;
  EventIndex event_;
};

bool is_since(const MemoryState& state, std::uint32_t block, EventIndex event) {
  return state.facts[block].history.alloc_event > event;
}

} // namespace

Growth growth_before(const MemoryState& state, const DeviceState& device_state, StateLines& names) {
  Growth growth;
  growth.live_bytes = device_state.figures.requested_bytes;
  growth.low_bytes = device_state.figures.requested_bytes;
  const EventTable& events = state.recording->events_of(device_state.device);
  if (events.empty()) return growth;
  const std::size_t count = std::min(events.size(), static_cast<std::size_t>(device_state.moment.event.count()));
  LowPoint low(device_state.figures.requested_bytes, count);
  for (std::size_t i = count; i > 0; --i)
    if (!low.undo(events, i - 1)) break;
  growth.low_event = low.event();
  growth.low_bytes = low.bytes();

  LineAmounts allocated;
  for (const Segment& segment : state.segments_of(device_state.device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      if (state.blocks[i].is_active() && is_since(state, i, growth.low_event))
        allocated.add(names.lines.line_of(device_state.device, i), {state.blocks[i].requested_bytes, 1});
    }
  }
  growth.lines = allocated.ranked(names.order);

  LineAmounts reserving;
  for (auto i = static_cast<std::size_t>(low.event().count()); i < count; ++i) {
    if (events.action(i) != Action::segment_alloc && events.action(i) != Action::segment_map) continue;
    growth.reserved_bytes += events.size_bytes(i);
    reserving.add(names.lines.line_of(events.stack(i)), {events.size_bytes(i), 1});
  }
  growth.reserving = reserving.ranked(names.order);
  return growth;
}

} // namespace memviz
