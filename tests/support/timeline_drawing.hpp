#pragma once

// A snapshot -> its timeline, as `memviz timeline` draws it.

#include "memviz/timeline_svg.hpp"

#include <string>

namespace memviz::test {

/// Returns the timeline of the whole recording, of every device.
std::string drawn_timeline(const Recording& snapshot, const TimelineSvgOptions& options = {});

/// Returns that of a snapshot of testdata.
Recording read_testdata(const std::string& name);

} // namespace memviz::test
