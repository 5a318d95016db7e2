#pragma once

// MemoryState -> what keeps mostly empty segments from being given back: a segment returns to the device only when none
// of its blocks is in use, so that a few small ones can hold gigabytes of free memory.

#include "memviz/flame.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// A segment that is mostly free and still cannot be given back.
struct PinnedSegment {
  std::uint32_t segment = 0; ///< index in MemoryMap::segments
  Amount active;             ///< its blocks in use, with their rounding
  /// Free bytes that these blocks keep from the device: all free bytes of a segment, but of an expandable one only
  /// those in pages that hold a block in use, since its other pages can be unmapped.
  std::uint64_t held_bytes = 0;
  std::vector<UserLine> lines; ///< whose blocks they are, with rounding; largest first; they add up to `active`
};

/// A line of code whose blocks are in pinned segments.
struct PinningLine {
  NodeKey key;   ///< as in UserLine
  Amount active; ///< its blocks in pinned segments, with their rounding
  std::uint64_t segments = 0;
  std::uint64_t held_bytes = 0;  ///< of these segments together; other lines may hold the same ones
  std::uint64_t alone_bytes = 0; ///< of those that no other line holds: what freeing this line's blocks would give back
};

struct Pins {
  std::vector<PinnedSegment> segments; ///< most held bytes first, then by address
  std::vector<PinningLine> lines;      ///< most held alone first, then most held
  Amount active;                       ///< of all pinned segments
  std::uint64_t held_bytes = 0;        ///< of all pinned segments, each counted once
};

struct PinOptions {
  std::optional<DeviceId> device = {}; ///< only this one
  unsigned below_percent = 50;         ///< a segment in use to this share or more is no pinned one
};

/// Segments without a block in use are not pinned, nor are those that hold no free bytes.
[[nodiscard]] Pins find_pins(const MemoryState& state, const PinOptions& options = {});

} // namespace memviz
