#pragma once

// The annotations of a recording as a lane above a chart: one row a depth; those too narrow for a word together.

#include "timeline/timeline_panel.hpp"

namespace memviz::render {

inline constexpr double kLaneRow = 15;

/// `y`: of the lane's top, from the top of the chart.
void draw_lane(XmlElement panel, double y, const PanelData& data);

} // namespace memviz::render
