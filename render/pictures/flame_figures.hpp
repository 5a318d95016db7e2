#pragma once

// Totals of a snapshot -> the bars below the figures of a flame graph.

#include "page/bars.hpp"

#include "memviz/story.hpp"

#include <vector>

namespace memviz::render {

[[nodiscard]] std::vector<Bar> bars_of(const MemorySubject& subject);

} // namespace memviz::render
