#pragma once

// The annotations of a recording as a lane above a chart: one row per depth; those too narrow for a word are combined.

#include "timeline/timeline_panel.hpp"

namespace memviz::render {

inline constexpr double kLaneRow = 15;

/// `y`: the lane's top, relative to the top of the chart.
void draw_lane(XmlElement panel, double y, const PanelData& data);

} // namespace memviz::render
