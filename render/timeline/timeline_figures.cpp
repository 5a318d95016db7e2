#include "timeline/timeline_figures.hpp"

#include "page/kind_paints.hpp"

#include "memviz/figures.hpp"
#include "memviz/format.hpp"
#include "memviz/kind_words.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

TimelineSubject subject_of(const TimelinePicture& picture, const Chart& chart, bool is_alone) {
  const auto capacity = capacity_of(chart.device);
  return {.state = picture.state,
          .device_state = chart.device_state,
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

namespace {

/// Returns, by kind, the paint of nine tenths of what the line holds.
const Paint& holder_paint(const Holder& holder, const LineName& name, bool by_kind) {
  return by_kind ? kind_paint(holder.kinds, holder.bytes) : *name.paint;
}

} // namespace

RankedList ranked_peak(const TimelineSubject& subject, const LineNames& names) {
  const PeakList peak = peak_list(subject, kRankedRows);
  RankedList list;
  list.heading = peak.heading;
  list.rest = peak.rest;
  std::vector<NodeKey> keys;
  for (const PeakRow& row : peak.rows) {
    const Holder& holder = subject.holders[list.rows.size()]; // the rows are the first of them
    const LineName& name = names.of(row.line);
    const std::string kinds = kinds_lines(holder.kinds);
    keys.push_back(row.line);
    list.rows.push_back({format_bytes(row.bytes),
                         row.bytes,
                         row.share,
                         {},
                         row.note,
                         name.text + "\n" + format_count(row.bytes) + " bytes" + (kinds.empty() ? "" : "\n" + kinds),
                         &holder_paint(holder, name, subject.bands.is_by_kind),
                         row.kinds});
  }
  name_rows(list, names.row_labels(keys));
  return list;
}

} // namespace memviz::render
