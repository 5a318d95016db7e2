#pragma once

// Whether two ways of reading one file gave the same snapshot. Ids may differ, but not what they refer to.

#include "memviz/recording.hpp"

#include <string>
#include <vector>

namespace memviz::fuzz {

/// Returns the difference for a person to read; empty if there is none. Compares everything except the events.
[[nodiscard]] std::string difference(const Recording& one, const Recording& other);

/// Does the same for events that a sink received, by device, compared with those that `reference` holds.
[[nodiscard]] std::string difference(const Recording& reference, const Recording& streamed,
                                     const ByDevice<std::vector<Event>>& events);

} // namespace memviz::fuzz
