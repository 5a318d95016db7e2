#pragma once

// Timelines -> one self-contained SVG, with the guarantees of svg.hpp.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// active: allocations; segments: reserved memory; pools: allocations, one chart for each stream and pool.
enum class TimelineView : std::uint8_t { active, segments, pools };

struct TimelineSvgOptions {
  TimelineView view = TimelineView::active;
  TimelineAxis axis = TimelineAxis::event;
  /// The number of the largest allocations that are bands; by default all that are at least half a pixel high.
  std::optional<std::size_t> detail = {};
  /// Whether the stack is layers of kinds, if the records have them; parts without kinds, and segments, are by line.
  ColorBy color = ColorBy::line;
  std::vector<NodeKey> hued_lines = {}; ///< see SvgOptions
  bool scripts = true;
  std::size_t max_bytes = 2'000'000; ///< draw fewer bands until the file is no larger
};

struct TimelineDevice {
  DeviceRecord record;
  Window window; ///< what of it is drawn
};

struct TimelinePicture {
  std::string file; ///< name of the snapshot, for the header
  const MemoryState& state;
  std::span<const TimelineDevice> devices; ///< those that are drawn
};

/// Throws Error if the axis is time and a drawn device has events without times.
[[nodiscard]] std::string timeline_svg(const TimelinePicture& picture, const TimelineSvgOptions& options);

} // namespace memviz
