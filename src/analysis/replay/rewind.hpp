#pragma once

// The end of a recording and what was remembered since a moment -> the segments and blocks of that moment.

#include "analysis/allocator/rounding.hpp"
#include "analysis/replay/moment_log.hpp"
#include "analysis/replay/segment_undo.hpp"
#include "base/number_map.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

/// The memory that does not fit into the state of a device at a moment.
struct Unplaced {
  std::vector<OutsideMemory> outside;
  Misfits misfits; ///< of these only the segment events
};

class Rewinder {
public:
  explicit Rewinder(const Recording& recording);

  /// Rebuilds the next segments, all of one device, as they are in the file.
  void keep(std::size_t first_segment, std::size_t count, const NumberMap& live);
  /// Rebuilds the same as of the moment of `log`; `live` has the Births of allocations that are alive at the end.
  Unplaced rewind(std::size_t first_segment, std::size_t count, const MomentLog& log, const NumberMap& live);

  [[nodiscard]] MemoryMap take_memory() { return std::move(memory_); }
  [[nodiscard]] std::vector<BlockFacts> take_facts() { return std::move(facts_); }

private:
  /// An allocation that was live at the moment.
  struct Past {
    Block block; ///< its size is 0 if unknown
    EventIndex alloc_event;
    EventIndex free_event = {};
    bool is_as_at_end = false;
    bool is_kept = false; ///< it is in the file, perhaps in another state

    /// The part of it for which there is no room.
    [[nodiscard]] OutsideMemory outside(std::uint64_t requested_bytes) const {
      return {.requested_bytes = requested_bytes,
              .allocations = requested_bytes == block.requested_bytes ? 1U : 0U,
              .stack = block.stack,
              .alloc_event = alloc_event};
    }
    [[nodiscard]] bool has_known_size() const { return is_as_at_end || block.size_bytes > 0; }
  };
  using Pasts = std::vector<Past>;

  [[nodiscard]] Pasts pasts_of(std::size_t first_segment, std::size_t count, const MomentLog& log,
                               const NumberMap& live) const;
  /// `inside`: the allocations that begin inside the segment, by address.
  void add(const PastSegment& past, std::span<const Past> inside, Unplaced& unplaced);
  [[nodiscard]] static std::vector<std::uint64_t> room_ends(std::span<const Past> inside, std::uint64_t end);
  void rebuild(const Segment& segment, std::span<const Past> inside, Unplaced& unplaced);
  [[nodiscard]] bool is_as_at_end(const PastSegment& past, std::span<const Past> inside) const;
  /// Returns the size of a block that the file does not have, from its room at the moment.
  [[nodiscard]] std::uint64_t block_bytes(const Past& past, std::uint64_t room_bytes, const Segment& segment) const;
  void push(const Block& block, const BlockHistory& history);

  const Recording& recording_;
  Rounding rounding_;
  std::uint64_t spare_bytes_ = kMaxTotalBytes;
  std::vector<FreedStart> freed_starts_; ///< of the device that is being rebuilt
  MemoryMap memory_;
  std::vector<BlockFacts> facts_; ///< of its blocks
};

} // namespace memviz
