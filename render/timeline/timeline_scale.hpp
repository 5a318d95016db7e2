#pragma once

// Bytes and states -> pixels of a chart, and the positions of its ticks.

#include "memviz/timeline.hpp"

#include "page/page.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::render {

struct Tick {
  double at = 0; ///< pixels: from the left of the chart, or from its top
  std::string text;
};

inline constexpr double kChartLeft = 86;
inline constexpr double kChartWidth = kPageWidth - kMargin - kChartLeft;

/// Bytes upward from the bottom of a chart. Everything below `cut_bytes` is squeezed into a few pixels at the bottom,
/// so that a large baseline does not flatten the changes above it.
class ByteScale {
public:
  /// `floor_bytes`: the bytes live at all times, which the scale may cut if they would take much of the room.
  /// `highest_bytes` is `room_above` pixels below the top.
  ByteScale(std::uint64_t highest_bytes, std::uint64_t floor_bytes, double height, double room_above);

  [[nodiscard]] double y(std::uint64_t bytes) const; ///< pixels below the top of the chart
  [[nodiscard]] std::vector<Tick> ticks() const;
  [[nodiscard]] bool is_cut() const { return cut_bytes_ > 0; }
  [[nodiscard]] std::uint64_t cut_bytes() const { return cut_bytes_; }
  [[nodiscard]] std::uint64_t top_bytes() const { return top_bytes_; }
  [[nodiscard]] double cut_height() const { return is_cut() ? kCutHeight : 0; }
  [[nodiscard]] double height() const { return height_; }

private:
  static constexpr double kCutHeight = 36;
  std::uint64_t top_bytes_;
  std::uint64_t cut_bytes_ = 0;
  std::uint64_t step_bytes_ = 1;
  double height_;
};

/// The part of an axis that a chart shows, in events or microseconds.
struct AxisRange {
  double begin = 0;
  double end = 1;
  double offset = 0; ///< from the first event of all charts to the first one of this chart
};

[[nodiscard]] AxisRange axis_range(const DeviceRecord& record, TimelineAxis axis, Window window);

/// States along the width of a chart.
class StateScale {
public:
  StateScale(const DeviceRecord& record, TimelineAxis axis, Window window, const AxisRange& range);

  /// Returns the pixel at which a state begins; that of window.last + 1 is the right end.
  [[nodiscard]] double x(std::uint32_t state) const;
  [[nodiscard]] double x_at(double position) const { return (position - begin()) / (end() - begin()) * width_; }
  [[nodiscard]] std::vector<Tick> ticks() const;
  [[nodiscard]] double position(std::uint32_t state) const; ///< on the axis
  [[nodiscard]] double begin() const { return range_.begin; }
  [[nodiscard]] double end() const { return range_.end; }
  [[nodiscard]] double offset() const { return range_.offset; }
  [[nodiscard]] double width() const { return width_; }

private:
  const DeviceRecord& record_;
  TimelineAxis axis_;
  Window window_;
  AxisRange range_;
  double width_ = kChartWidth;
};

} // namespace memviz::render
