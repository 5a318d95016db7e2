#pragma once

// A search and a device -> what it finds over the whole recording: the allocations, the moments to go to, and the bytes
// of these allocations over time.

#include "engine/page_file.hpp"
#include "engine/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz::view {

/// Returns what the file's last search finds on the walk's device: one pass over events and allocations, then cached
/// until the next search.
[[nodiscard]] const Found& found_in(PageFile& file, Walk& walk);

/// Returns the bytes of the found allocations in a state.
[[nodiscard]] std::uint64_t found_bytes(const Found& found, std::uint32_t state);

/// Returns two doubles for each column of a part of the curve: the most bytes of found allocations in it, and the
/// number of moments in it at which something is found.
[[nodiscard]] std::vector<double> found_curve(const Found& found, const DeviceRecord& record, Window window,
                                              TimelineAxis axis, std::size_t columns);

} // namespace memviz::view
