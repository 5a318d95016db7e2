#pragma once

// The marks around the bands of a chart: reserved bytes and capacity as lines, the peak, errors, snapshots and steps.

#include "timeline/timeline_panel.hpp"

#include "memviz/timeline_steps.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

/// A text above the chart, with a line down to what it names.
struct Flag {
  double at = 0; ///< on the axis
  double x = 0;
  double y = 0; ///< where the line ends
  std::string_view css_class;
  std::string text;
  std::uint32_t row = 0; ///< 0 is next to the chart
  double text_x = 0;     ///< left end
  bool has_text = true;
};

struct MarksLayout {
  std::vector<Flag> flags;
  std::uint32_t flag_rows = 0;
};

/// Returns "step 3", its peak and its growth, each on a line.
[[nodiscard]] std::string step_text(const TimelineStep& step);

[[nodiscard]] MarksLayout lay_out_marks(const PanelData& data);

/// Draws the lines of reserved bytes and of the capacity, and the marks.
void draw_marks(XmlElement panel, const PanelData& data, const MarksLayout& marks);

inline constexpr double kFlagRow = 16;

} // namespace memviz::render
