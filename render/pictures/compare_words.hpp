#pragma once

// A comparison -> the words of its picture: the sentence on top, the answer below it, what is known of each side, and
// the notes at the bottom.

#include "memviz/compare.hpp"

#include <string>
#include <vector>

namespace memviz::render {

/// "+1.10 GiB allocated at the peak: 6.58 GiB before, 7.68 GiB after"; where as much is allocated as before, what else
/// changed; of devices that are not at one moment, the figure that changed most.
[[nodiscard]] std::string headline_of(const Comparison& comparison);

/// "Most of it by step train.py:12 +1.10 GiB; against it load data.py:3 −64.0 MiB", the side of the sum first; "" where
/// no line changed.
[[nodiscard]] std::string answer_of(const Comparison& comparison);

/// Which moment the totals and the graph are of, as a sentence.
[[nodiscard]] std::string drawn_moment(const Comparison& comparison);

/// `facts` with the counts and the time of one side.
[[nodiscard]] std::vector<std::string> side_facts_of(std::vector<std::string> facts, const DeviceStats& stats);

/// How to read the boxes, which files were taken for the same, and whether other lines of the same functions hide what
/// stayed.
[[nodiscard]] std::vector<std::string> notes_on(const Comparison& comparison);

} // namespace memviz::render
