#pragma once

// Events in order -> the record_function that was open at each.

#include "memviz/event_index.hpp"
#include "memviz/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

class OpenMarks {
public:
  OpenMarks(const Recording& recording, const DeviceRecord& record)
      : lane_(annotation_lane(recording, record, kMostRows)), open_(lane_.rows) {}

  /// Returns the innermost one that is open when `event` happens. Events must be in order over the calls.
  [[nodiscard]] std::optional<StringId> at(EventIndex event) {
    const std::uint64_t state = event.count();
    for (; next_ < lane_.spans.size() && lane_.spans[next_].begin <= state; ++next_)
      open_[lane_.spans[next_].row] = next_;
    for (std::size_t row = open_.size(); row-- > 0;)
      if (open_[row] && lane_.spans[*open_[row]].end > state) return lane_.spans[*open_[row]].name;
    return std::nullopt;
  }

private:
  static constexpr std::uint32_t kMostRows = 32;

  AnnotationLane lane_;
  std::vector<std::optional<std::size_t>> open_; ///< by row, the last span that began
  std::size_t next_ = 0;
};

} // namespace memviz
