#include "timeline/timeline_figures.hpp"

#include "page/kind_paints.hpp"

#include "memviz/format.hpp"
#include "story/figures.hpp"

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

std::string peak_title(const HolderRow& row, const Label& label) {
  return words_to_find(label) + (label.source.empty() ? "" : "\n    " + label.source) + "\n" +
         format_count(row.amount.bytes) + " bytes";
}

} // namespace

RankedList ranked_peak(const TimelineSubject& subject, const std::vector<UserLine>& holders, const LineNames& names) {
  const HolderTable table = peak_holders(subject, holders, kRankedRows);
  const std::vector<Label> labels = names.row_labels(keys_of(table));
  const Paint* paint = &paint::kOtherLines;
  // By kind, the paint of nine tenths of the line's memory. A part of a line has the line's colour.
  const auto paint_of = [&](const HolderRow& row) -> const Paint& {
    if (!row.is_within)
      paint = subject.bands.is_by_kind ? &kind_paint(row.kinds, row.amount.bytes) : names.of(row.key).paint;
    return *paint;
  };
  return holders_list(table, {labels, [&](std::size_t i) { return peak_title(table.rows[i], labels[i]); }, paint_of});
}

} // namespace memviz::render
