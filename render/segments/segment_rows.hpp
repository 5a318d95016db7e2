#pragma once

// Segments -> rows of a panel: what each is, who pins it, and a strip of its blocks. Short strips stand beside their
// words, and segments that differ in nothing but their address can share a row.

#include "segments/segment_panel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz::render {

struct SegmentRow {
  const Segment* segment;
  const PinnedSegment* pinned; ///< or null
  std::size_t count = 1;       ///< with those of the same kind
};

/// Pinned ones first, most held bytes first, then the largest of the others.
[[nodiscard]] std::vector<SegmentRow> rows_of(const SegmentPanel& panel);

/// Segments of one place and size that are all free, all in use, or pinned by as many blocks of the same line, become
/// one row. Pinned ones come first, most held bytes first; then the others, most bytes first.
[[nodiscard]] std::vector<SegmentRow> merged_alike(const std::vector<SegmentRow>& rows, const MemoryState& state);

/// Reserved bytes of the segments of a row.
[[nodiscard]] std::uint64_t bytes_of(const SegmentRow& row);

/// `largest_bytes` is the segment that takes the whole width. Returns the height below.
[[nodiscard]] double draw_rows(XmlElement parent, double y, const SegmentPanel& panel, std::span<const SegmentRow> rows,
                               std::uint64_t largest_bytes);

} // namespace memviz::render
