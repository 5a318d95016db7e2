#pragma once

// A timeline in words: its sentence, facts, figures, who held the peak, and notes.

#include "page/header.hpp"
#include "page/ranked_list.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_names.hpp"

#include "memviz/timeline_svg.hpp"

#include <string>
#include <vector>

namespace memviz::render {

/// "Peak 78.3 GiB on GPU 1: update_nodes models.py:174 held 29.7 GiB"
[[nodiscard]] std::string timeline_sentence(const Chart& chart, const LineNames& names);

/// "The out-of-memory error asked for 4.94 GiB with 91.2 MiB free. The peak was at event 420 of 596 (70.6 %)."
[[nodiscard]] std::string timeline_answer(const Chart& chart);

/// What a reader must not miss, in a few words: that no GPU was there, and what the recording does not reach back to.
[[nodiscard]] std::string alert_of(const TimelinePicture& picture, const Chart& chart);

[[nodiscard]] std::vector<std::string> timeline_facts(const TimelinePicture& picture, const Chart& chart);
[[nodiscard]] std::vector<Figure> timeline_figures(const Chart& chart);
[[nodiscard]] RankedList peak_list(const Chart& chart, const LineNames& names, bool names_device);
[[nodiscard]] std::vector<std::string> timeline_notes(const Chart& chart, bool names_device);

} // namespace memviz::render
