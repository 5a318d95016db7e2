#pragma once

// Segments that look the same -> one row: of a thousand segments most differ in nothing but their address.

#include "segments/segment_rows.hpp"

#include <vector>

namespace memviz::render {

/// Segments of one device, pool, stream and size whose blocks have the same sizes and states, in the same order, become
/// the row of the first of them. Pinned ones keep their own. The order stays.
void merge_same_layouts(std::vector<SegmentRow>& rows, const Snapshot& snapshot);

} // namespace memviz::render
