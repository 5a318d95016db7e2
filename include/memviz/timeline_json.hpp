#pragma once

// Timelines -> JSON: the curve of what lived and of what was reserved, who held the peak, and out-of-memory errors.

#include "memviz/memory_state.hpp"
#include "memviz/timeline.hpp"

#include <span>
#include <string>

namespace memviz {

struct TimelinePart {
  const DeviceRecord& record;
  Window window; ///< the part of it that is written
};

/// One object, of the schema memviz.timeline; each device with at most a few thousand points. Throws Error where names
/// are out of all proportion to the file.
[[nodiscard]] std::string timeline_json(const std::string& file, const MemoryState& state,
                                        std::span<const TimelinePart> parts);

} // namespace memviz
