#pragma once

// Events of one device, in order -> which allocation each is about: how often its address was used before, and when it
// began. Memory proportional to the addresses that occur.

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

/// The facts that the trace has about the allocation or segment of an event.
struct AllocationLife {
  bool is_segment = false;
  std::uint64_t address = 0;
  std::uint64_t use = 0;               ///< how often the address was used before in the trace
  std::optional<EventPoint> began;     ///< of frees and annotations: its alloc, if that was recorded
  std::optional<EventPoint> was_freed; ///< of free_completed: its free_requested
};

class AllocationNames {
public:
  /// nullopt for events that are about no address: oom, snapshot and what memviz does not know.
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
