#pragma once

// Timelines -> JSON: the curves of live and of reserved bytes, the holders of the peak, and out-of-memory errors.

#include "memviz/memory_state.hpp"
#include "memviz/timeline.hpp"

#include <span>
#include <string>

namespace memviz {

struct TimelinePart {
  const DeviceRecord& record;
  Window window; ///< the part of it that is written
};

/// Returns one object, of the schema memviz.timeline; each device has at most a few thousand points. Throws Error if
/// names are out of all proportion to the file.
[[nodiscard]] std::string timeline_json(const std::string& file, const MemoryState& state,
                                        std::span<const TimelinePart> parts);

} // namespace memviz
