#pragma once

// What a picture is drawn of -> its charts: one a device, or one a stream and pool, with what each of them shows.

#include "memviz/timeline_svg.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace memviz::render {

/// A line across a chart: reserved bytes above what lives, or what lives within what is reserved.
struct Overlay {
  std::string name; ///< "reserved", "live"
  std::vector<Step> steps;
  std::uint32_t from = 0; ///< the first state in which it is known
};

struct Chart {
  const TimelineDevice& device;
  const DeviceStats& stats; ///< of the whole device
  std::string place = {};   ///< "stream 0, private pool (0,1)", or "" for a whole device
  TimelineKind kind = TimelineKind::allocations;
  double height = 0;
  BandChart bands = {};
  AnnotationLane lane = {};
  std::vector<Holder> holders = {}; ///< of the peak
  Overlay overlay = {};
};

/// How much of a recording is drawn.
struct Detail {
  std::size_t bands = 0;
  std::size_t slices = 0;
  std::size_t most_steps = 0; ///< of all bands of a chart

  /// Leaves out more, so that about `share` of it is left. False when there is nothing left to leave out.
  bool lower(double share);
};
[[nodiscard]] Detail first_detail(const TimelineSvgOptions& options);

class Charts {
public:
  /// Throws UsageError where the axis is time and a device has events without times.
  Charts(const TimelinePicture& picture, const TimelineSvgOptions& options);

  /// Makes all of them anew.
  void make(const Detail& detail);
  /// The main one first.
  [[nodiscard]] const std::vector<Chart>& charts() const { return charts_; }
  /// How many streams and pools have none.
  [[nodiscard]] std::size_t places_left_out() const { return places_left_out_; }

private:
  void add_places(const TimelineDevice& device);
  void make(Chart& chart, const Detail& detail);

  const TimelinePicture& picture_;
  const TimelineSvgOptions& options_;
  std::deque<TimelineDevice> places_; ///< what charts of streams and pools refer to
  std::vector<Chart> charts_;
  std::size_t places_left_out_ = 0;
  bool is_first_ = true;
};

/// "stream 0", "stream 0, private pool (0,1)", "stream 0, pool unknown"
[[nodiscard]] std::string home_text(const Home& home);

} // namespace memviz::render
