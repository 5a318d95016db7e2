#pragma once

// Frees -> where other allocations began while those of a moment were alive. A block keeps its original size: the
// allocator does not split off a rest of 1 MiB or less before the next block in a large segment (should_split in
// CUDACachingAllocator.cpp), and that rest stays part of the block long after its neighbour is gone.

#include "base/number_map.hpp"
#include "memviz/event_index.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// The last free, up to the moment, of an allocation that began at an address.
struct FreedStart {
  std::uint64_t address = 0;
  EventIndex event; ///< those beyond 2^32 are not distinguished
};

class FreedStarts {
public:
  /// Records that event `index` frees the allocation that began at `address`. The moment may move forward from one
  /// call to the next.
  void add(std::uint64_t address, std::uint64_t index, EventIndex moment);
  /// Returns the allocations freed up to the moment, by address.
  [[nodiscard]] std::vector<FreedStart> until(EventIndex moment) const;

private:
  NumberMap frees_; ///< by address: the last two, because the moment may lie between them
};

/// Returns the lowest address from `first` to `last` (inclusive) where something was freed after event `born`, which is
/// none for memory older than the events. `starts` are sorted by address.
[[nodiscard]] std::optional<std::uint64_t> first_freed_since(const std::vector<FreedStart>& starts, std::uint64_t first,
                                                             std::uint64_t last, EventIndex born);

} // namespace memviz
