#pragma once

// A chart of a timeline -> what its story is about, and who held the peak.

#include "page/ranked_list.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_names.hpp"

#include "memviz/story.hpp"
#include "memviz/timeline_svg.hpp"

namespace memviz::render {

/// Returns the subject of a chart; refers to it. `is_alone`: no other chart is drawn.
[[nodiscard]] TimelineSubject subject_of(const TimelinePicture& picture, const Chart& chart, bool is_alone);

[[nodiscard]] RankedList ranked_peak(const TimelineSubject& subject, const LineNames& names);

} // namespace memviz::render
