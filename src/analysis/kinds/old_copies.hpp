#pragma once

// The memory older than the recording, in the order in which it was made -> parameters and an optimizer's state, which
// have the same sizes.

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

/// The role of a block of the recording's end.
enum class OldBlock : std::uint8_t {
  candidate, ///< older than the events, and no frame shows its kind
  other,     ///< older than the events
  newer,     ///< made by the events, or free
};

/// Returns segments in the order in which CUDA gave them out: runs of adjacent segments from the highest address down,
/// and the segments of each run upward.
[[nodiscard]] std::vector<const Segment*> ordered_by_runs(std::span<const Segment> segments);

/// Returns the old blocks of one device whose addresses show their kinds, sorted by address. `block_at` returns the
/// role of the block with an index.
///
/// CUDA gives out addresses upward within a run of adjacent segments, or within 32 MiB, and each of these below the
/// previous one, so the order of addresses shows the order in time. A program makes its parameters first, without gaps
/// between them; then come the gradients and activations of its first step, then an optimizer's state.
[[nodiscard]] std::vector<OldCopy> find_old_copies(const MemoryMap& end, std::span<const Segment> segments,
                                                   const SizeTable& sizes,
                                                   const std::function<OldBlock(std::uint32_t)>& block_at);

} // namespace memviz
