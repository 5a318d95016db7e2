#pragma once

// One device -> one chart: the stack of bands, everything around it, and its axes.

#include "memviz/timeline_svg.hpp"
#include "page/page.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_layout.hpp"
#include "timeline/timeline_names.hpp"
#include "timeline/timeline_scale.hpp"

#include <optional>
#include <string>

namespace memviz::render {

class StackTable;
class BandKeepers;

/// The positions of all parts of a chart.
struct PanelLayout {
  StateScale states;
  ByteScale bytes;
  StackShapes shapes;
};

/// Returns nullopt if bands and strips would take more than `most_steps` steps.
[[nodiscard]] std::optional<PanelLayout> lay_out_panel(const Chart& chart, TimelineAxis axis, std::size_t most_steps);

/// The data that a panel draws.
struct PanelData {
  const FrameTable& frames;
  const Chart& chart;
  const PanelLayout& layout;
  const LineNames& names;
  StackTable& stacks;
  BandKeepers* keepers; ///< null if they are unknown
  TimelineAxis axis;
  std::string axis_words; ///< the unit of the axis
};

/// Draws the panel from height `y` on; returns the height below it.
[[nodiscard]] double draw_panel(Page& page, double y, const PanelData& data);

} // namespace memviz::render
