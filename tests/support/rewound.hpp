#pragma once

// A recording made by a builder -> its state at a moment, checked to conserve bytes, and drawn as a line of text.

#include "memviz/replay.hpp"
#include "support/snapshot_builder.hpp"

#include <string>

namespace memviz::test {

/// Fails the test where bytes of a segment are in none of its blocks, or those of the blocks are not those of the
/// accounts.
[[nodiscard]] MemoryState rewound(const SnapshotBuilder& builder, const MomentChoice& choice);

[[nodiscard]] MomentChoice after_event(std::int64_t event);
[[nodiscard]] MomentChoice at_moment(MomentKind kind);

/// "0x1000+4096: 1000/1024 -3072 ..." for each segment: requested/size of what is in use, `~` before what is pending,
/// `-` before what is free.
[[nodiscard]] std::string drawn(const MemoryState& state);
[[nodiscard]] std::string drawn_after(const SnapshotBuilder& builder, std::int64_t event);

/// A segment of the small pool, where every rest of 512 bytes is split off.
SegmentBuilder small(SnapshotBuilder& builder, std::uint64_t address, std::uint64_t total_bytes, int device = 0);

} // namespace memviz::test
