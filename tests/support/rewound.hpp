#pragma once

// A recording from a builder -> its state at a moment, checked to conserve bytes, and printed as a line of text.

#include "memviz/replay.hpp"
#include "support/snapshot_builder.hpp"

#include <string>

namespace memviz::test {

/// Fails the test if bytes of a segment are in none of its blocks, or those of the blocks differ from the accounts.
[[nodiscard]] MemoryState rewound(const SnapshotBuilder& builder, const MomentChoice& choice);

[[nodiscard]] MomentChoice after_event(std::int64_t event);
[[nodiscard]] MomentChoice at_moment(MomentKind kind);

/// Returns "0x1000+4096: 1000/1024 -3072 ..." for each segment: requested/size of blocks in use, `~` before pending
/// ones, `-` before free ones.
[[nodiscard]] std::string drawn(const MemoryState& state);
[[nodiscard]] std::string drawn_after(const SnapshotBuilder& builder, std::int64_t event);

/// Adds a segment of the small pool, in which every rest of 512 bytes is split off.
SegmentBuilder small(SnapshotBuilder& builder, std::uint64_t address, std::uint64_t total_bytes, int device = 0);

} // namespace memviz::test
