#include "timeline/timeline_figures.hpp"

#include "timeline/timeline_panel.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace memviz::render {
namespace {

const Slice& peak_of(const Chart& chart) {
  return chart.bands.slices[chart.bands.peak];
}

const Mark* last_oom(const Chart& chart) {
  const Mark* last = nullptr;
  for (const Mark& mark : chart.device.record.marks) {
    const bool is_inside = mark.state >= chart.device.window.first && mark.state <= chart.device.window.last;
    if (mark.kind == MarkKind::oom && is_inside) last = &mark;
  }
  return last;
}

bool is_segments(const Chart& chart) {
  return chart.kind == TimelineKind::segments;
}

bool is_whole(const Chart& chart) {
  return chart.device.window.first == 0 && chart.device.window.last + 1 == chart.device.record.states();
}

Figure peak_figure(const Chart& chart) {
  const Slice& peak = peak_of(chart);
  return {.name = std::string(is_segments(chart) ? "Peak reserved" : "Peak requested") +
                  (is_whole(chart) ? "" : " in this window"),
          .value = format_bytes(peak.live_bytes),
          .note = peak.state == 0 ? "before the first event" : "at event " + format_count(peak.state - 1)};
}

Figure reserved_figure(const Chart& chart) {
  const auto reserved = overlay_at(chart.overlay, peak_of(chart).state);
  if (!reserved) return {.name = "Reserved at the peak", .value = "unknown", .note = "its events are incomplete"};
  const std::uint64_t unused = *reserved - std::min(*reserved, peak_of(chart).live_bytes);
  return {.name = "Reserved at the peak",
          .value = format_bytes(*reserved),
          .note = format_percent(unused, *reserved) + " of it free or rounding"};
}

Figure oom_figure(const Mark& oom) {
  return {.name = "Out of memory",
          .value = format_bytes(oom.size_bytes) + " asked",
          .note = oom.free_bytes > kMaxTotalBytes ? "at event " + format_count(oom.state - 1)
                                                  : format_bytes(oom.free_bytes) + " free on the device",
          .note_class = "warning"};
}

} // namespace

TimelineFigures told_of(const TimelinePicture& picture, const Chart& chart, bool is_alone) {
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
          .annotations_left_out = chart.lane.left_out,
          .devices = picture.devices.size(),
          .names_device = !is_alone};
}

std::vector<Figure> timeline_figures(const Chart& chart) {
  const Slice& peak = peak_of(chart);
  const std::uint64_t end_bytes = chart.bands.slices.back().live_bytes;
  std::vector<Figure> figures{peak_figure(chart)};
  if (is_segments(chart)) {
    const auto live = overlay_at(chart.overlay, peak.state);
    figures.push_back({.name = "Live then",
                       .value = format_bytes(live.value_or(0)),
                       .note = format_percent(live.value_or(0), peak.live_bytes) + " of reserved"});
  } else {
    figures.push_back({.name = "Of it before the first event",
                       .value = format_bytes(peak.baseline_bytes),
                       .note = format_percent(peak.baseline_bytes, peak.live_bytes) + " of the peak"});
    figures.push_back(reserved_figure(chart));
  }
  figures.push_back({.name = is_segments(chart) ? "Reserved at the end" : "Requested at the end",
                     .value = format_bytes(end_bytes),
                     .note = format_percent(end_bytes, peak.live_bytes) + " of the peak"});
  if (const Mark* oom = last_oom(chart)) figures.push_back(oom_figure(*oom));
  return figures;
}

RankedList peak_list(const Chart& chart, const LineNames& names, const std::string& owner) {
  RankedList list;
  list.heading = std::string(is_segments(chart) ? "Who made PyTorch reserve the peak" : "Who held the peak") +
                 (owner.empty() ? "" : " of " + owner) + ", by your own line of code";
  const std::uint64_t whole = peak_of(chart).live_bytes;
  std::vector<NodeKey> keys;
  std::uint64_t rest_bytes = 0;
  for (const Holder& holder : chart.holders) {
    if (list.rows.size() == kRankedRows) {
      rest_bytes += holder.bytes;
      continue;
    }
    const LineName& name = names.of(holder.key);
    keys.push_back(holder.key);
    list.rows.push_back({format_bytes(holder.bytes),
                         holder.bytes,
                         format_percent(holder.bytes, whole),
                         {},
                         format_counted(holder.allocations, is_segments(chart) ? "range" : "allocation"),
                         name.text + "\n" + format_count(holder.bytes) + " bytes",
                         name.paint});
  }
  name_rows(list, names.row_labels(keys));
  const std::size_t more = chart.holders.size() - list.rows.size();
  if (more > 0)
    list.rest = fmt::format("and {} with {} together", format_counted(more, "more line"), format_bytes(rest_bytes));
  if (list.rows.empty()) list.rest = "Nothing lived.";
  return list;
}

} // namespace memviz::render
