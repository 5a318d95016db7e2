#include "timeline/timeline_figures.hpp"

#include "memviz/figures.hpp"
#include "memviz/format.hpp"

#include <optional>
#include <vector>

namespace memviz::render {

TimelineSubject subject_of(const TimelinePicture& picture, const Chart& chart, bool is_alone) {
  const auto capacity = capacity_of(chart.device);
  return {.state = picture.state,
          .stats = chart.stats,
          .record = chart.device.record,
          .window = chart.device.window,
          .place = chart.place,
          .kind = chart.kind,
          .bands = chart.bands,
          .holders = chart.holders,
          .capacity_bytes = capacity ? std::optional(capacity->bytes) : std::nullopt,
          .overlay_bytes = overlay_at(chart.overlay, chart.bands.slices[chart.bands.peak].state),
          .annotations_left_out = chart.lane.left_out,
          .devices = picture.devices.size(),
          .names_device = !is_alone};
}

RankedList ranked_peak(const TimelineSubject& subject, const LineNames& names) {
  const PeakList peak = peak_list(subject, kRankedRows);
  RankedList list;
  list.heading = peak.heading;
  list.rest = peak.rest;
  std::vector<NodeKey> keys;
  for (const PeakRow& row : peak.rows) {
    const LineName& name = names.of(row.line);
    keys.push_back(row.line);
    list.rows.push_back({format_bytes(row.bytes),
                         row.bytes,
                         row.share,
                         {},
                         row.note,
                         name.text + "\n" + format_count(row.bytes) + " bytes",
                         name.paint});
  }
  name_rows(list, names.row_labels(keys));
  return list;
}

} // namespace memviz::render
