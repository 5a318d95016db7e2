#pragma once

// Bytes by state over time -> the states that are drawn.

#include "memviz/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz {

/// The stacked curves: bytes by state, and the lives behind them.
struct Curves {
  std::vector<std::uint64_t> live;     ///< by state; never below 0
  std::vector<std::uint64_t> baseline; ///< by state, or one value for all of them
  const std::vector<Life>* lives = nullptr;

  [[nodiscard]] std::uint64_t baseline_at(std::uint32_t state) const {
    return baseline.size() == 1 ? baseline.front() : baseline[state];
  }
};

[[nodiscard]] Curves curves_of(const DeviceRecord& record, const TimelineOptions& options);

/// Returns states, ascending, beginning with window.first: every state in which `curves` change if there are no more
/// than `most_slices`, else the highest, the lowest and the last state of equal parts of the axis.
[[nodiscard]] std::vector<std::uint32_t> slice_states(const DeviceRecord& record, const Curves& curves, Window window,
                                                      const TimelineOptions& options);

/// Returns which of `parts` equal parts of the axis a state begins in.
class AxisParts {
public:
  AxisParts(const DeviceRecord& record, TimelineAxis axis, Window window, std::size_t parts)
      : record_(record), axis_(axis), begin_(axis_position(record, axis, window.first)),
        length_(static_cast<double>(axis_position(record, axis, window.last) - begin_)), parts_(parts) {}

  [[nodiscard]] std::size_t operator()(std::uint32_t state) const {
    if (length_ <= 0) return 0;
    const double share = static_cast<double>(axis_position(record_, axis_, state) - begin_) / length_;
    return std::min(parts_ - 1, static_cast<std::size_t>(share * static_cast<double>(parts_)));
  }

private:
  const DeviceRecord& record_;
  TimelineAxis axis_;
  std::int64_t begin_;
  double length_;
  std::size_t parts_;
};

/// State -> the first slice at or after it.
class SliceIndex {
public:
  /// Indexes the slices that lie in `window`, ascending.
  SliceIndex(const std::vector<Slice>& slices, Window window);

  /// Returns the number of slices for a state after all of them.
  [[nodiscard]] std::uint32_t operator()(std::uint32_t state) const {
    if (state <= window_.first) return 0;
    return state > window_.last ? size_ : index_[state - window_.first];
  }

private:
  Window window_;
  std::vector<std::uint32_t> index_;
  std::uint32_t size_ = 0;
};

} // namespace memviz
