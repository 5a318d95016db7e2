#pragma once

// FlameGraph -> its boxes in the picture, with what the script needs to zoom and search in data attributes.

#include "graph/describe.hpp"
#include "page/page.hpp"

namespace memviz::render {

/// Draws the graph with its line of controls at `y`; returns the height below it.
[[nodiscard]] double draw_graph(Page& page, double y, const FlameGraph& graph, const SvgOptions& options);

} // namespace memviz::render
