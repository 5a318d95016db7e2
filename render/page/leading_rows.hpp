#pragma once

// The first rows of a ranked list, side by side above a drawing: the lines that hold most, in the colours of the
// drawing.

#include "page/ranked_list.hpp"

namespace memviz::render {

inline constexpr std::size_t kLeadingRows = 3;

/// Draws the colour, the bytes and the label of the first kLeadingRows rows, except those far smaller than the first;
/// nothing if there are none. Returns the height below.
[[nodiscard]] double draw_leading_rows(Page& page, double y, const RankedList& list);

/// Returns how many rows that are.
[[nodiscard]] std::size_t count_leading_rows(const RankedList& list);
/// Draws one of them on a line of `width`.
void draw_stacked_row(XmlElement parent, double y, const RankedRow& row, double width);

} // namespace memviz::render
