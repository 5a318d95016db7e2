#pragma once

// A state of a recording -> a snapshot written anew, as a pickle: a recording without what was hidden while it was
// read, or a part of one, for PyTorch's own tools and for this program.

#include "memviz/export.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

/// The part of a recording that is written. It ends at the moment of the state.
struct SnapshotPart {
  std::optional<DeviceId> device = {}; ///< nothing: all of them
  std::uint64_t first_event = 0;       ///< of each device that has events; earlier ones are left out
};

/// The whole recording of `state`, which must hold its events, or a part of it. The segments and blocks of the state
/// are the end of what is written, so the events written add up to them as far as those of the recording do. Keys that
/// the recording does not hold (unread ones, the stale sizes of inactive blocks) are not written. Refers to `state`.
[[nodiscard]] TextSource snapshot_pickle_source(const MemoryState& state, const SnapshotPart& part = {});

} // namespace memviz
