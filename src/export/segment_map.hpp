#pragma once

// The segments of one device -> lines with a bar each that shows where in it memory is used and where it is free.

#include "memviz/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace memviz {

/// `columns` characters for a segment from its first byte to its last; what they mean is segment_bar_legend().
[[nodiscard]] std::string segment_bar(const Snapshot& snapshot, const Segment& segment, std::size_t columns);
[[nodiscard]] std::string_view segment_bar_legend();

/// Headed by a line that counts them: the largest segments of `device` with address, size, pool, stream, kind and bar.
[[nodiscard]] std::string segment_map(const Snapshot& snapshot, std::uint32_t device);

} // namespace memviz
