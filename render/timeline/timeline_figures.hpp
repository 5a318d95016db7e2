#pragma once

// A chart of a timeline -> the subject of its story, and the holders of the peak.

#include "page/ranked_list.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_names.hpp"

#include "memviz/story.hpp"
#include "memviz/timeline_svg.hpp"

namespace memviz::render {

/// Returns the subject of a chart, with references to it. `is_alone`: whether it is the only drawn chart.
[[nodiscard]] TimelineSubject subject_of(const TimelinePicture& picture, const Chart& chart, bool is_alone);

/// Lists the holders of the peak: those of the subject, or other ones of the same chart.
[[nodiscard]] RankedList ranked_peak(const TimelineSubject& subject, const std::vector<UserLine>& holders,
                                     const LineNames& names);

} // namespace memviz::render
