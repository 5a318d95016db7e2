#include "support/timeline_check.hpp"

#include <doctest/doctest.h>
#include <map>

namespace memviz::test {

std::vector<std::int64_t> replayed_live(const Recording& snapshot, DeviceId device) {
  std::map<std::uint64_t, std::uint64_t> live;
  std::int64_t bytes = 0;
  std::int64_t baseline_bytes = 0;
  std::vector<std::int64_t> by_state{0};
  const EventTable& events = snapshot.events_of(device);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto size = static_cast<std::int64_t>(events.size_bytes(i));
    if (events.action(i) == Action::alloc) {
      live[events.address(i)] = events.size_bytes(i);
      bytes += size;
    } else if (events.action(i) == Action::free_completed) {
      if (live.erase(events.address(i)) == 0) baseline_bytes += size;
      bytes -= size;
    }
    by_state.push_back(bytes);
  }
  for (const Segment& segment : snapshot.end.segments) {
    if (segment.device != device) continue;
    for (const Block& block : snapshot.end.blocks_of(segment))
      if (block.is_active() && !live.contains(block.address))
        baseline_bytes += static_cast<std::int64_t>(block.requested_bytes);
  }
  for (std::int64_t& state : by_state)
    state += baseline_bytes;
  return by_state;
}

Window whole(const DeviceRecord& record) {
  return {0, record.events};
}

void check_conserves_bytes(const BandChart& chart, const std::vector<std::int64_t>& live) {
  REQUIRE(!chart.slices.empty());
  CHECK(chart.slices.front().state == chart.window.first);
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < chart.slices.size(); ++i) {
    const Slice& slice = chart.slices[i];
    CHECK((i == 0 || slice.state > previous));
    previous = slice.state;
    std::uint64_t banded_bytes = 0;
    bool bands_are_right = true;
    for (const Band& band : chart.bands) {
      const bool is_here = band.first <= i && i < band.last;
      bands_are_right = bands_are_right && is_here == band.life.lives_in(slice.state);
      if (is_here) banded_bytes += band.life.size_bytes;
    }
    CHECK(bands_are_right);
    CHECK(slice.baseline_bytes + banded_bytes + slice.rest_bytes == slice.live_bytes);
    CHECK(static_cast<std::int64_t>(slice.live_bytes) == live[slice.state]);
  }
}

void check_strips_add_up(const std::vector<Strip>& strips, const BandChart& chart) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < chart.slices.size(); ++i) {
    std::uint64_t baseline_bytes = 0;
    std::uint64_t rest_bytes = 0;
    for (const Strip& strip : strips)
      (strip.is_baseline ? baseline_bytes : rest_bytes) += strip.bytes.at(i);
    if (baseline_bytes != chart.slices[i].baseline_bytes || rest_bytes != chart.slices[i].rest_bytes) ++wrong;
  }
  CHECK(wrong == 0);
}

} // namespace memviz::test
