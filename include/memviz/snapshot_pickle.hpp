#pragma once

// A state of a recording -> a new snapshot, as a pickle: a redacted recording, or a part of one, for PyTorch's own
// tools and for memviz.

#include "memviz/export.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

/// The part of a recording to write. It ends at the moment of the state.
struct SnapshotPart {
  std::optional<DeviceId> device = {}; ///< nullopt: all of them
  std::uint64_t first_event = 0;       ///< of each device that has events; earlier ones are omitted
};

/// Returns the whole recording of `state`, which must hold its events, or a part of it. The segments and blocks of the
/// state are the end of the new recording, so its events add up to them as far as those of the original do. Omits keys
/// that the recording does not hold (unread ones, the stale sizes of inactive blocks). Keeps a reference to `state`.
[[nodiscard]] TextSource snapshot_pickle_source(const MemoryState& state, const SnapshotPart& part = {});

} // namespace memviz
