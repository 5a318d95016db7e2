#pragma once

// A chart of a timeline -> what its story is about, its figures, and who held the peak.

#include "page/header.hpp"
#include "page/ranked_list.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_names.hpp"

#include "memviz/story.hpp"
#include "memviz/timeline_svg.hpp"

#include <vector>

namespace memviz::render {

/// What is told of a chart; refers to it. `is_alone`: no other chart is drawn.
[[nodiscard]] TimelineFigures told_of(const TimelinePicture& picture, const Chart& chart, bool is_alone);

[[nodiscard]] std::vector<Figure> timeline_figures(const Chart& chart);
/// Named after `owner` where that is not empty.
[[nodiscard]] RankedList peak_list(const Chart& chart, const LineNames& names, const std::string& owner);

} // namespace memviz::render
