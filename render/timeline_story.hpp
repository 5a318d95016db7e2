#pragma once

// A timeline in words: its sentence, facts, figures, who held the peak, and notes.

#include "header.hpp"
#include "ranked_list.hpp"
#include "timeline_names.hpp"

#include "memviz/timeline_svg.hpp"

#include <string>
#include <vector>

namespace memviz::render {

/// A device of the picture with its chart.
struct DrawnDevice {
  const TimelineDevice& device;
  const DeviceStats& stats;
  BandChart chart;
  AnnotationLane lane;
  std::vector<Holder> holders; ///< of the peak
};

/// "Peak 78.3 GiB on GPU 1 at event 420 (70.6 % of 596)"
[[nodiscard]] std::string timeline_sentence(const DrawnDevice& drawn);

/// "The out-of-memory error asked for 4.94 GiB with 91.2 MiB free. At the peak, update_nodes models.py:174 held 29.7
/// GiB (37.9 %)."; "" where there is nothing to say.
[[nodiscard]] std::string timeline_answer(const DrawnDevice& drawn, const FrameTable& frames);

[[nodiscard]] std::vector<std::string> timeline_facts(const TimelinePicture& picture, const DrawnDevice& drawn);
[[nodiscard]] std::vector<Figure> timeline_figures(const DrawnDevice& drawn);
[[nodiscard]] RankedList peak_list(const DrawnDevice& drawn, const FrameTable& frames, const LineNames& names,
                                   bool names_device);
[[nodiscard]] std::vector<std::string> timeline_notes(const DrawnDevice& drawn, bool names_device);

} // namespace memviz::render
