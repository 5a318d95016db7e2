#pragma once

// MemoryState -> what keeps mostly empty segments from being returned: a segment returns to the device only if none of
// its blocks is in use, so a few small blocks can hold gigabytes of free memory.

#include "memviz/flame.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// A segment that is mostly free but cannot be returned.
struct PinnedSegment {
  std::uint32_t segment = 0; ///< index in MemoryMap::segments
  Amount active;             ///< its blocks in use, including their rounding
  /// The free bytes that these blocks keep from the device: all free bytes of the segment. In an expandable segment
  /// only those in pages with a block in use, because other pages can be unmapped.
  std::uint64_t held_bytes = 0;
  std::vector<UserLine> lines; ///< the lines of these blocks, with rounding; largest first; they add up to `active`
};

/// A line of code whose blocks are in pinned segments.
struct PinningLine {
  NodeKey key;   ///< as in UserLine
  Amount active; ///< its blocks in pinned segments, including their rounding
  std::uint64_t segments = 0;
  std::uint64_t held_bytes = 0;  ///< held by these segments together; other lines may hold the same ones
  std::uint64_t alone_bytes = 0; ///< in segments that no other line holds: returned if this line's blocks were freed
};

struct Pins {
  std::vector<PinnedSegment> segments; ///< most held bytes first, then by address
  std::vector<PinningLine> lines;      ///< most held alone first, then most held
  Amount active;                       ///< of all pinned segments
  std::uint64_t held_bytes = 0;        ///< of all pinned segments, each counted once
};

struct PinOptions {
  std::optional<DeviceId> device = {}; ///< nullopt: all
  unsigned below_percent = 50;         ///< a segment with this share in use, or more, is not pinned
};

/// Finds pinned segments. Segments without a block in use, or without free bytes, are not pinned.
[[nodiscard]] Pins find_pins(const MemoryState& state, const PinOptions& options = {});

} // namespace memviz
