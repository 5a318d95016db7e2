#pragma once

// Totals of a snapshot -> the figures and bars below the sentences of a flame graph.

#include "page/bars.hpp"
#include "page/header.hpp"

#include "memviz/story.hpp"

#include <cstddef>
#include <vector>

namespace memviz::render {

/// `devices`: how many these are the sums of.
[[nodiscard]] std::vector<Figure> figures_of(const DeviceStats& sum, std::size_t devices);

/// A bar for all, or one a device; below it, where a device has several pools or streams, one for each of the largest.
[[nodiscard]] std::vector<Bar> bars_of(const MemorySubject& subject);

} // namespace memviz::render
