#pragma once

// Recorded events -> until when each private pool was in use. No event says when one is given up (its graph is gone, or
// its MemPool), from when on its free memory goes back with that of the default pool. But a pool that allocates is in
// use, and so is one that keeps a free segment while the allocator gives back all that it can.

#include "analysis/explain/untold.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace memviz {

/// Private pools by the first event before which each may have been given up: as many as there are events, where it was
/// in use to the end. `at_failure`: what the allocator did for the request that failed; not_done without one.
[[nodiscard]] std::map<PoolId, std::size_t> pools_in_use_until(const LeadUp& lead_up, const AllocatorSettings& settings,
                                                               Release at_failure);

} // namespace memviz
