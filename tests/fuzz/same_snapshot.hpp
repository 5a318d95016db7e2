#pragma once

// Whether two ways of reading one file came to the same snapshot. Ids may differ, what they stand for may not.

#include "memviz/recording.hpp"

#include <string>
#include <vector>

namespace memviz::fuzz {

/// Returns the difference for a person to read; empty if there is none. Compares everything except the events.
[[nodiscard]] std::string difference(const Recording& one, const Recording& other);

/// The same for events that a sink received, by device, against those that `reference` holds.
[[nodiscard]] std::string difference(const Recording& reference, const Recording& streamed,
                                     const ByDevice<std::vector<Event>>& events);

} // namespace memviz::fuzz
