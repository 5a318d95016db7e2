#pragma once

// The options of a drawing: the meaning of its colours, its size, and the layout of a flame graph or a timeline.

#include "answers/option.hpp"
#include "answers/sizes.hpp"
#include "memviz/answers.hpp"
#include "memviz/overlay.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace memviz {

struct DrawingChoice {
  std::optional<SizeLimit> max_size;
  std::optional<double> min_percent;
  std::optional<ColorBy> color;
  bool is_upward = false;
  bool is_unfolded = false;
};

/// Defines --color; `standard` is the default: "origin".
[[nodiscard]] Option<DrawingChoice> color_option(std::string_view standard);
/// Defines --color with keepers.
[[nodiscard]] Option<DrawingChoice> color_or_keeper_option(std::string_view standard);
/// Defines --max-size; `how` says for the help what is done to reach it, as in "draw fewer bands".
[[nodiscard]] Option<DrawingChoice> size_option(std::string_view how);
[[nodiscard]] OptionList<DrawingChoice> flame_drawing_options(); ///< of a flame graph, except --color

/// Returns the options of a flame graph with such frames.
[[nodiscard]] SvgOptions svg_options(const DrawingChoice& choice, FrameFilter frames);
/// Returns the options of a picture without frames.
[[nodiscard]] SvgOptions svg_options(const DrawingChoice& choice);
/// Throws UsageError for a colour by keeper if the recording has no keepers.
void check_color(const DrawingChoice& choice, const Recording& recording);

struct TimelineDrawing {
  TimelineView view = TimelineView::active;
  std::optional<OverlayAxis> axis; ///< for a single file: event or time
  std::optional<std::size_t> detail;
};
[[nodiscard]] OptionList<TimelineDrawing> timeline_drawing_options();
/// Throws UsageError for a colour that segments do not have.
[[nodiscard]] TimelineSvgOptions svg_options(const TimelineDrawing& timeline, const DrawingChoice& choice);

} // namespace memviz
