#pragma once

// One device -> one chart: the stack of bands, what stands around it, and its axes.

#include "memviz/timeline_svg.hpp"
#include "page/page.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_layout.hpp"
#include "timeline/timeline_names.hpp"
#include "timeline/timeline_scale.hpp"

#include <optional>
#include <string>

namespace memviz::render {

inline constexpr double kChartLeft = 86;
inline constexpr double kChartWidth = kPageWidth - kMargin - kChartLeft;

class StackTable;

/// What a panel is drawn from.
struct PanelData {
  const FrameTable& frames;
  const TimelineDevice& device;
  const BandChart& chart;
  TimelineKind kind;
  const AnnotationLane& lane;
  const Overlay& overlay;
  const LineNames& names;
  StackTable& stacks;
  TimelineAxis axis;
  double height; ///< of the chart alone
};

/// Reserved plus free bytes at an out-of-memory error: what PyTorch could have had then.
struct Capacity {
  std::uint64_t bytes = 0;
  const Mark* oom = nullptr;
};

/// nullopt where no error within the window tells a credible number.
[[nodiscard]] std::optional<Capacity> capacity_of(const TimelineDevice& device);

/// Bytes of a line in a state; nullopt where they are not known.
[[nodiscard]] std::optional<std::uint64_t> overlay_at(const Overlay& overlay, std::uint32_t state);

/// Draws the panel from height `y` on; returns the height below it, or nullopt, with nothing drawn, where the bands
/// would take more than `most_steps` steps.
[[nodiscard]] std::optional<double> draw_panel(Page& page, double y, const PanelData& data, std::size_t most_steps);

} // namespace memviz::render
