#pragma once

// Compares a timeline in every state with the events themselves.

#include "memviz/timeline.hpp"

#include <cstdint>
#include <vector>

namespace memviz::test {

/// Live bytes by state, from the events alone: what the timeline must agree with.
std::vector<std::int64_t> replayed_live(const Recording& snapshot, DeviceId device);

/// All events of a device.
Window whole(const DeviceRecord& record);

/// Baseline, bands and rest add up to what lives, at every slice; and what lives is what the events say.
void check_conserves_bytes(const BandChart& chart, const std::vector<std::int64_t>& live);

/// The strips below the bands add up to the baseline, those above them to the rest, at every slice.
void check_strips_add_up(const std::vector<Strip>& strips, const BandChart& chart);

} // namespace memviz::test
