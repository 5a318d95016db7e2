#include "analysis/replay/device_annotations.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <map>

namespace memviz {
namespace {

/// Times to states and to microseconds since the first event.
class Clock {
public:
  explicit Clock(const DeviceRecord& record) : times_(record.times_us()) {}

  /// Returns the first state that an event at `time_us` or later leads to.
  [[nodiscard]] std::uint32_t state_from(std::int64_t time_us) const {
    const auto event = std::lower_bound(times_.begin(), times_.end(), time_us);
    return static_cast<std::uint32_t>(std::distance(times_.begin(), event)) + 1;
  }
  /// Returns the first state that an event after `time_us` leads to.
  [[nodiscard]] std::uint32_t state_after(std::int64_t time_us) const {
    const auto event = std::upper_bound(times_.begin(), times_.end(), time_us);
    return static_cast<std::uint32_t>(std::distance(times_.begin(), event)) + 1;
  }
  /// Clamped far outside the recording, where a difference might overflow.
  [[nodiscard]] std::int64_t since_first(std::int64_t time_us) const {
    if (time_us <= times_.front()) return 0;
    const std::uint64_t since =
        static_cast<std::uint64_t>(std::min(time_us, times_.back())) - static_cast<std::uint64_t>(times_.front());
    return static_cast<std::int64_t>(std::min(since, std::uint64_t{1} << 62U));
  }

private:
  const std::vector<std::int64_t>& times_;
};

std::vector<AnnotationSpan> paired(const FrameTable& frames, const std::vector<const Annotation*>& annotations,
                                   const DeviceRecord& record) {
  const Clock clock(record);
  std::vector<AnnotationSpan> spans;
  std::map<StringId, std::vector<std::size_t>> open; // by name, the innermost last
  for (const Annotation* annotation : annotations) {
    const std::string_view stage = frames.text(annotation->stage);
    std::vector<std::size_t>& starts = open[annotation->name];
    if (stage == "START") {
      starts.push_back(spans.size());
      spans.push_back({.name = annotation->name,
                       .begin = clock.state_from(annotation->time_us),
                       .end = kForever,
                       .begin_us = clock.since_first(annotation->time_us),
                       .end_us = clock.since_first(record.times_us().back())});
    } else if (stage == "END") {
      if (starts.empty()) {
        starts.push_back(spans.size());
        spans.push_back({.name = annotation->name});
      }
      AnnotationSpan& span = spans[starts.back()];
      span.end = clock.state_after(annotation->time_us);
      span.end_us = clock.since_first(annotation->time_us);
      starts.pop_back();
    }
  }
  return spans;
}

} // namespace

AnnotationLane annotation_lane(const Recording& recording, const DeviceRecord& record, std::uint32_t most_rows) {
  AnnotationLane lane;
  if (record.times_us().empty()) return lane;
  std::vector<AnnotationSpan> spans = paired(recording.frames, annotations_of(recording, record.device), record);
  std::ranges::stable_sort(spans, [](const AnnotationSpan& left, const AnnotationSpan& right) {
    return left.begin_us != right.begin_us ? left.begin_us < right.begin_us : left.end_us > right.end_us;
  });
  struct Row {
    std::uint32_t end;
    std::int64_t end_us;
  };
  std::vector<Row> rows;
  for (AnnotationSpan& span : spans) {
    const auto row = std::ranges::find_if(
        rows, [&](const Row& candidate) { return candidate.end <= span.begin && candidate.end_us <= span.begin_us; });
    if (row == rows.end() && rows.size() == most_rows) {
      ++lane.left_out;
      continue;
    }
    span.row = static_cast<std::uint32_t>(std::distance(rows.begin(), row));
    if (row == rows.end()) rows.push_back({});
    rows[span.row] = {span.end, span.end_us};
    lane.spans.push_back(span);
  }
  lane.rows = static_cast<std::uint32_t>(rows.size());
  return lane;
}

} // namespace memviz
