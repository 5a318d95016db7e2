#include "analysis/timeline/timeline_slices.hpp"

#include "analysis/timeline/timeline_ranges.hpp"

#include <algorithm>

namespace memviz {
namespace {

std::vector<std::uint64_t> without_negative(const std::vector<std::int64_t>& sums) {
  std::vector<std::uint64_t> bytes(sums.size());
  std::ranges::transform(sums, bytes.begin(),
                         [](std::int64_t sum) { return sum < 0 ? 0 : static_cast<std::uint64_t>(sum); });
  return bytes;
}

/// Sums lives by state.
std::vector<std::uint64_t> summed(const DeviceRecord& record, std::initializer_list<const std::vector<Life>*> lists) {
  std::vector<std::int64_t> sums(record.states());
  for (const std::vector<Life>* lives : lists) {
    for (const Life& life : *lives) {
      sums[life.begin] += static_cast<std::int64_t>(life.size_bytes);
      if (life.end != kForever) sums[life.end] -= static_cast<std::int64_t>(life.size_bytes);
    }
  }
  for (std::size_t state = 1; state < sums.size(); ++state)
    sums[state] += sums[state - 1];
  return without_negative(sums);
}

/// The states of one part of the axis that are drawn.
struct Extremes {
  std::uint32_t highest;
  std::uint32_t lowest;
  std::uint32_t last;

  void add_to(std::vector<std::uint32_t>& states) const {
    for (const std::uint32_t state : {std::min(highest, lowest), std::max(highest, lowest), last})
      if (states.empty() || states.back() < state) states.push_back(state);
  }
};

} // namespace

SliceIndex::SliceIndex(const std::vector<Slice>& slices, Window window)
    : window_(window), size_(static_cast<std::uint32_t>(slices.size())) {
  index_.resize(std::size_t{window.last} - window.first + 1);
  std::uint32_t slice = 0;
  for (std::uint32_t state = window.first; state <= window.last; ++state) {
    if (slice < slices.size() && slices[slice].state < state) ++slice;
    index_[state - window.first] = slice;
  }
}

std::int64_t axis_position(const DeviceRecord& record, TimelineAxis axis, std::uint32_t state) {
  if (axis == TimelineAxis::event) return static_cast<std::int64_t>(state) - 1;
  if (state == 0 || record.times_us().empty()) return 0;
  // Subtracted as unsigned numbers: the times are untrusted, and may be further apart than a signed number can
  // represent.
  const std::uint64_t since =
      static_cast<std::uint64_t>(record.times_us()[state - 1]) - static_cast<std::uint64_t>(record.times_us().front());
  return static_cast<std::int64_t>(std::min(since, std::uint64_t{1} << 62U));
}

Curves curves_of(const DeviceRecord& record, const TimelineOptions& options) {
  Curves curves;
  curves.baseline = {0};
  if (options.kind == TimelineKind::segments) {
    curves.lives = &record.ranges;
    curves.live = summed(record, {&record.ranges});
    return curves;
  }
  curves.lives = &record.lives;
  curves.live = without_negative(live_bytes_by_state(record));
  if (!record.freed_baseline.empty()) {
    curves.baseline = summed(record, {&record.freed_baseline, &record.kept_baseline});
  } else {
    for (const Life& life : record.kept_baseline)
      curves.baseline.front() += life.size_bytes;
  }
  return curves;
}

std::vector<std::uint32_t> slice_states(const DeviceRecord& record, const Curves& curves, Window window,
                                        const TimelineOptions& options) {
  const auto changes = [&](std::uint32_t state) {
    return curves.live[state] != curves.live[state - 1] || curves.baseline_at(state) != curves.baseline_at(state - 1);
  };
  std::size_t count = 1;
  for (std::uint32_t state = window.first + 1; state <= window.last; ++state)
    if (changes(state)) ++count;

  std::vector<std::uint32_t> states{window.first};
  if (count <= options.most_slices) {
    for (std::uint32_t state = window.first + 1; state <= window.last; ++state)
      if (changes(state)) states.push_back(state);
    return states;
  }
  const AxisParts part_of(record, options.axis, window, std::max<std::size_t>(1, options.most_slices / 3));
  Extremes part{window.first, window.first, window.first};
  std::size_t current = 0;
  for (std::uint32_t state = window.first + 1; state <= window.last; ++state) {
    if (!changes(state)) continue;
    const std::size_t next = part_of(state);
    if (next != current) {
      part.add_to(states);
      part = {state, state, state};
      current = next;
    }
    if (curves.live[state] > curves.live[part.highest]) part.highest = state;
    if (curves.live[state] < curves.live[part.lowest]) part.lowest = state;
    part.last = state;
  }
  part.add_to(states);
  return states;
}

} // namespace memviz
