#pragma once

// A segment -> one line of characters that shows where memory in it is used and where it is free.

#include "memviz/memory_map.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// Returns `columns` characters, from the segment's first byte to its last; segment_bar_legend() explains them.
[[nodiscard]] std::string segment_bar(const MemoryMap& memory, const Segment& segment, std::size_t columns);
[[nodiscard]] std::string_view segment_bar_legend();

} // namespace memviz
