#pragma once

// An event of a device, identified by its place in the trace.

#include <compare>
#include <cstdint>
#include <limits>

namespace memviz {

/// The place of an event in the trace of its device, from 0, the oldest. "None" precedes all events: the state before
/// the first event, or an event that the file does not contain.
class EventIndex {
public:
  constexpr EventIndex() = default;
  constexpr explicit EventIndex(std::uint64_t index) : count_(index + 1) {}
  /// Returns the last of this many events; none if there are 0.
  [[nodiscard]] static constexpr EventIndex last_of(std::uint64_t count) {
    EventIndex last;
    last.count_ = count;
    return last;
  }

  [[nodiscard]] constexpr bool is_none() const { return count_ == 0; }
  /// Returns the index, from 0. Must not be called on none.
  [[nodiscard]] constexpr std::uint64_t value() const { return count_ - 1; }
  /// Returns the number of events up to and including this one.
  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  /// Returns the index as outputs write it: -1 for none.
  [[nodiscard]] constexpr std::int64_t number() const { return static_cast<std::int64_t>(count_) - 1; }

  friend constexpr auto operator<=>(const EventIndex&, const EventIndex&) = default;

private:
  std::uint64_t count_ = 0;
};

inline constexpr EventIndex kNoEvent;
/// An index that no event exceeds, because no trace is that long.
inline constexpr EventIndex kLastPossibleEvent = EventIndex::last_of(std::numeric_limits<std::uint64_t>::max());

} // namespace memviz
