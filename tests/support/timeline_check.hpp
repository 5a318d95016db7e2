#pragma once

// Compares a timeline in every state with the events themselves.

#include "memviz/timeline.hpp"

#include <cstdint>
#include <vector>

namespace memviz::test {

/// Returns live bytes by state, from the events alone, which the timeline must agree with.
std::vector<std::int64_t> replayed_live(const Recording& snapshot, DeviceId device);

/// Returns all events of a device.
Window whole(const DeviceRecord& record);

/// Checks that baseline, bands and rest add up to live memory at every slice, and that it agrees with the events.
void check_conserves_bytes(const BandChart& chart, const std::vector<std::int64_t>& live);

/// Checks that the strips below the bands add up to the baseline, those above them to the rest, at every slice.
void check_strips_add_up(const std::vector<Strip>& strips, const BandChart& chart);

} // namespace memviz::test
