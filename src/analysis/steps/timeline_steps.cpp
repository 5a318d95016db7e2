#include "memviz/timeline_steps.hpp"

#include "analysis/steps/step_marks.hpp"
#include "analysis/timeline/timeline_ranges.hpp"

#include <algorithm>
#include <cstddef>

namespace memviz {
namespace {

/// Returns the first state that an event at `time_us` or later leads to.
std::uint32_t state_from(const DeviceRecord& record, std::int64_t time_us) {
  const auto& times = record.times_us();
  const auto event = std::ranges::lower_bound(times, time_us);
  return static_cast<std::uint32_t>(std::distance(times.begin(), event)) + 1;
}

} // namespace

TimelineSteps timeline_steps(const Recording& recording, const DeviceRecord& record, Window window) {
  TimelineSteps found;
  if (record.times_us().empty() || recording.annotations.empty()) return found;
  StepMarks all_marks(recording, std::nullopt);
  const auto& marks = all_marks.of(record.device);
  if (marks.empty() || marks.front().rank < StepRank::optimizer) return found;
  found.name = marks.front().name;
  const auto& times_us = marks.front().times_us;
  const std::vector<std::int64_t> live = live_bytes_by_state(record);
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    const std::uint32_t begin = state_from(record, times_us[i]);
    const std::uint32_t end = i + 1 < times_us.size() ? state_from(record, times_us[i + 1]) : record.states();
    // A mark before the first event: the beginning of the step is not recorded.
    if (begin >= end || begin <= 1 || begin < window.first || begin > window.last) continue;
    const auto first = live.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::int64_t peak_bytes = *std::max_element(first, live.begin() + static_cast<std::ptrdiff_t>(end));
    found.steps.push_back({.number = i + 1,
                           .begin = begin,
                           .peak_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(peak_bytes, 0)),
                           .growth_bytes = static_cast<std::int64_t>(static_cast<std::uint64_t>(live[end - 1]) -
                                                                     static_cast<std::uint64_t>(live[begin - 1]))});
  }
  return found;
}

} // namespace memviz
