#pragma once

// Events of one device, in order -> which allocation each is about: how often its address had been used before, and
// when it began. Memory is proportional to the addresses that occur.

#include "base/hash_map.hpp"
#include "memviz/events.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

/// A point of the trace.
struct EventPoint {
  std::uint64_t event = 0;
  std::optional<std::int64_t> time_us;
};

/// The trace's facts about the allocation or segment of an event.
struct AllocationLife {
  bool is_segment = false;
  std::uint64_t address = 0;
  std::uint64_t use = 0;               ///< the number of earlier uses of the address in the trace
  std::optional<EventPoint> began;     ///< for frees and annotations: its alloc, if recorded
  std::optional<EventPoint> was_freed; ///< for free_completed: its free_requested
};

class AllocationNames {
public:
  /// Returns nullopt for events without an address: oom, snapshot, and unknown ones.
  std::optional<AllocationLife> take(std::uint64_t index, const Event& event);

private:
  struct Address {
    std::uint64_t uses = 0; ///< that have ended
    std::optional<EventPoint> began;
    std::optional<EventPoint> was_freed;

    void end();
  };
  using Addresses = HashMap<std::uint64_t, Address>;

  Addresses blocks_;
  Addresses segments_;
};

} // namespace memviz
