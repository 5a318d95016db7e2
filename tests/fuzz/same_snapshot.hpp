#pragma once

// Whether two ways of reading one file came to the same snapshot. Ids may differ, what they stand for may not.

#include "memviz/snapshot.hpp"

#include <string>
#include <vector>

namespace memviz::fuzz {

/// What is different, for a person; empty where nothing is. Compares everything but the events.
[[nodiscard]] std::string difference(const Snapshot& one, const Snapshot& other);

/// The same for events that a sink received, by device, against those that `reference` holds.
[[nodiscard]] std::string difference(const Snapshot& reference, const Snapshot& streamed,
                                     const std::vector<std::vector<Event>>& events);

} // namespace memviz::fuzz
