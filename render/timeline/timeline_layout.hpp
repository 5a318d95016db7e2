#pragma once

// A stack of bands -> shapes: the outlines of what is stacked, column by column. A column is three quarters of a pixel;
// it shows its highest state exactly, so that no spike is lost. Heights are rounded to half a pixel in the same way
// above and below a border, so that neighbours touch.

#include "memviz/timeline.hpp"
#include "timeline/timeline_scale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

inline constexpr double kColumnWidth = 0.75;

/// Columns that show the same slice.
struct ColumnRun {
  std::uint32_t first = 0; ///< column
  std::uint32_t last = 0;  ///< after it
  std::uint32_t slice = 0;
};

/// From column `first` on, a shape extends from `top` to `bottom`, in half pixels below the top of the chart.
struct ShapeStep {
  std::uint32_t first = 0;
  std::int32_t top = 0;
  std::int32_t bottom = 0;
};

struct TimelineShape {
  std::vector<ShapeStep> steps;
  std::uint32_t end = 0; ///< the column after it

  /// Returns "M…h…v…z"; empty if the shape is nowhere half a pixel high.
  [[nodiscard]] std::string path() const;
  /// Returns only the upper edge, as a line.
  [[nodiscard]] std::string top_line() const;
};

/// A part of a shape in which a line of text fits, in pixels.
struct Room {
  double x = 0;
  double width = 0;
  double top = 0;
  double height = 0;
};

/// Returns the widest such part that is at least `least_height` high; nullopt if there is none.
[[nodiscard]] std::optional<Room> room_in(const TimelineShape& shape, double least_height);

/// Returns the layers of a chart by kind, one per kind, from the bottom up; other charts have one.
[[nodiscard]] std::size_t layers_of(const BandChart& chart);
[[nodiscard]] std::size_t layer_of(const BandChart& chart, const Band& band);
[[nodiscard]] std::size_t layer_of(const BandChart& chart, const Strip& strip);

struct StackShapes {
  std::vector<ColumnRun> runs;
  std::vector<TimelineShape> strips; ///< of Chart::strips
  std::vector<TimelineShape> bands;  ///< of BandChart::bands
  std::vector<TimelineShape> layers;
  TimelineShape live;   ///< from 0 to all live memory
  TimelineShape lowest; ///< the same for the lowest state of each column
};

/// The shapes to lay out, and their axes.
struct StackPlan {
  const BandChart& chart;
  const std::vector<Strip>& strips;
  const StateScale& states;
  const ByteScale& bytes;
};

/// Returns nullopt if bands and strips have more than `most_steps` steps together.
[[nodiscard]] std::optional<StackShapes> lay_out_stack(const StackPlan& plan, std::size_t most_steps);

/// Returns the shape of reserved bytes within `states`: the highest in each column.
[[nodiscard]] TimelineShape lay_out_steps(const std::vector<Step>& steps, Window window, const StateScale& states,
                                          const ByteScale& bytes);

} // namespace memviz::render
