#pragma once

// The memory that is older than the recording, in the order in which it was made -> parameters and an optimizer's
// state, which have the same sizes.

#include "analysis/kinds/size_facts.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/memory_map.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace memviz {

/// A block that is older than the events and that may be a parameter or a copy of one.
struct OldCopy {
  std::uint64_t address = 0;
  MemoryKind kind = MemoryKind::parameter_or_state;
  friend auto operator<=>(const OldCopy&, const OldCopy&) = default;
};

/// The part that a block of the end of a recording takes.
enum class OldBlock : std::uint8_t {
  candidate, ///< older than the events, and no frame says what it is
  other,     ///< older than the events
  newer,     ///< made by the events, or free
};

/// Returns the old blocks of one device whose kinds their places show, sorted by address. `block_at` gives the part of
/// the block with an index.
///
/// CUDA gives out addresses upward within a run of adjacent segments, or within 32 MiB, and one of these below the
/// other, so the order of places is the order of time. A program makes its parameters first, without gaps between them;
/// the gradients and activations of its first step come next, and an optimizer's state after them.
[[nodiscard]] std::vector<OldCopy> find_old_copies(const MemoryMap& end, std::span<const Segment> segments,
                                                   const SizeTable& sizes,
                                                   const std::function<OldBlock(std::uint32_t)>& block_at);

} // namespace memviz
