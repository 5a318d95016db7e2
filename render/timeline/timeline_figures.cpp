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

/// Returns, by kind, the paint of nine tenths of the line's memory.
const Paint& holder_paint(const Holder& holder, const LineName& name, bool by_kind) {
  return by_kind ? kind_paint(holder.kinds, holder.bytes) : *name.paint;
}

std::string peak_title(const PeakRow& row, const Label& label) {
  const std::string kinds = row.holder == nullptr ? "" : kinds_lines(row.holder->kinds);
  std::string title = words_to_find(label);
  if (!label.source.empty()) title += "\n    " + label.source;
  return title + "\n" + format_count(row.bytes) + " bytes" + (kinds.empty() ? "" : "\n" + kinds);
}

} // namespace

RankedList ranked_peak(const TimelineSubject& subject, const std::vector<Holder>& holders, const LineNames& names) {
  const PeakList peak = peak_list(subject, holders, kRankedRows);
  std::vector<NodeKey> keys;
  for (const PeakRow& row : peak.rows)
    keys.push_back(row.line);
  const std::vector<Label> labels = names.row_labels(keys);
  RankedList list{.heading = peak.heading, .rows = {}, .rest = peak.rest};
  const Paint* paint = &paint::kOtherLines;
  for (std::size_t i = 0; i < peak.rows.size(); ++i) {
    const PeakRow& row = peak.rows[i];
    // A part of a line has the line's colour.
    if (row.holder != nullptr) paint = &holder_paint(*row.holder, names.of(row.line), subject.bands.is_by_kind);
    list.rows.push_back({.value = format_bytes(row.bytes),
                         .bar_bytes = row.bytes,
                         .share = row.share,
                         .label = labels[i],
                         .note = row.note,
                         .title = peak_title(row, labels[i]),
                         .paint = paint,
                         .kinds = row.kinds,
                         .is_within = row.holder == nullptr});
  }
  return list;
}

} // namespace memviz::render
