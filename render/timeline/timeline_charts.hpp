#pragma once

// The records of a picture -> its charts: one per device, or one per stream and pool, with the contents of each.

#include "timeline/timeline_scale.hpp"

#include "memviz/timeline_steps.hpp"
#include "memviz/timeline_svg.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

/// A line across a chart: reserved bytes above live ones, or live bytes within reserved ones.
struct OverlayLine {
  std::string name; ///< "reserved", "live"
  std::vector<Step> steps;
  std::uint32_t from = 0; ///< the first state in which it is known
};

struct Chart {
  const TimelineDevice& device;
  const DeviceState& device_state; ///< of the whole device
  std::string place = {};          ///< "stream 0, private pool (0,1)", or "" for a whole device
  TimelineKind kind = TimelineKind::allocations;
  double height = 0;           ///< pixels
  std::uint64_t top_bytes = 1; ///< the value that is kRoomAbove below the top
  bool is_alone = true;        ///< otherwise others are drawn to the same scale
  bool is_closed = false;      ///< of a device other than the main chart's: a line that a click opens
  AxisRange range = {};
  BandChart bands = {};
  std::vector<Strip> strips = {};
  AnnotationLane lane = {};
  TimelineSteps steps = {};
  std::vector<UserLine> holders = {}; ///< at the peak, by line of code
  std::vector<UserLine> keepers = {}; ///< at the peak, if the colours are keepers
  OverlayLine overlay = {};

  [[nodiscard]] bool is_by_kind() const { return bands.is_by_kind; }
  /// Returns the holders of the peak by what colours mean.
  [[nodiscard]] const std::vector<UserLine>& listed() const { return keepers.empty() ? holders : keepers; }
};

/// The distance in pixels from the highest value of a chart to its top, for words on a line there.
inline constexpr double kRoomAbove = 18;

/// Returns reserved plus free bytes at an out-of-memory error: what PyTorch could have had then.
struct Capacity {
  std::uint64_t bytes = 0;
  const Mark* oom = nullptr;
};

/// Returns nullopt if no error within the window has a plausible number.
[[nodiscard]] std::optional<Capacity> capacity_of(const TimelineDevice& device);

/// Returns the bytes of a line in a state; nullopt if unknown.
[[nodiscard]] std::optional<std::uint64_t> overlay_at(const OverlayLine& overlay, std::uint32_t state);

/// The part of a recording that is drawn.
struct Detail {
  std::size_t bands = 0;
  std::size_t slices = 0;
  std::size_t most_steps = 0; ///< of all bands of a chart

  /// Omits more, so that about `share` of it is left. Returns false if nothing more can be omitted.
  bool lower(double share);
};
[[nodiscard]] Detail first_detail(const TimelineSvgOptions& options);

class Charts {
public:
  /// Throws Error if the axis is time and a device has events without times.
  Charts(const TimelinePicture& picture, const TimelineSvgOptions& options);

  /// Builds all of them again.
  void make(const Detail& detail);
  /// Returns the charts, the main one first. Those of its device share one scale of bytes; those of other devices are
  /// closed.
  [[nodiscard]] const std::vector<Chart>& charts() const { return charts_; }
  [[nodiscard]] TimelineAxis axis() const { return axis_; }
  /// Returns the requested colours; by line instead of by kind if there are no kinds.
  [[nodiscard]] ColorBy color() const { return color_; }
  [[nodiscard]] const LifeLines& lines() const { return lines_; }
  /// Returns the keepers of the recording; null if it has none.
  [[nodiscard]] const EndKeepers* keepers() const { return keepers_ ? &*keepers_ : nullptr; }

private:
  void add(const TimelineDevice& device);
  void add_places(const TimelineDevice& device);
  void measure(Chart& chart);
  void share_scale();
  void share_clock();
  void make(Chart& chart, const Detail& detail);

  const TimelinePicture& picture_;
  const TimelineSvgOptions& options_;
  std::deque<TimelineDevice> places_; ///< referred to by charts of streams and pools
  std::vector<Chart> charts_;
  TimelineAxis axis_ = TimelineAxis::event;
  ColorBy color_ = ColorBy::line;
  std::optional<EndKeepers> keepers_;
  LifeLines lines_;         ///< by what colours mean
  LifeLines lines_of_code_; ///< for sentences
};

/// "stream 0", "stream 0, private pool (0,1)"
[[nodiscard]] std::string home_text(const Home& home);

} // namespace memviz::render
