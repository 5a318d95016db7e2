#include "timeline/timeline_story.hpp"

#include "page/accounts.hpp"
#include "timeline/timeline_panel.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/no_stack.hpp"

#include <algorithm>
#include <fmt/format.h>

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

std::uint64_t snapshots_in(const Chart& chart) {
  const std::vector<Mark>& marks = chart.device.record.marks;
  return static_cast<std::uint64_t>(
      std::count_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.kind == MarkKind::state; }));
}

bool is_segments(const Chart& chart) {
  return chart.kind == TimelineKind::segments;
}

bool is_whole(const Chart& chart) {
  return chart.device.window.first == 0 && chart.device.window.last + 1 == chart.device.record.states();
}

std::string name_of(const Chart& chart) {
  const std::string name = device_name(chart.stats.device, chart.stats.is_cpu);
  return chart.place.empty() ? name : name + ", " + chart.place;
}

/// Of the peak; null where no stack tells.
const Holder* largest_line(const Chart& chart) {
  const auto line = std::find_if(chart.holders.begin(), chart.holders.end(),
                                 [](const Holder& holder) { return holder.key.kind == NodeKind::frame; });
  return line == chart.holders.end() ? nullptr : &*line;
}

/// Of the peak.
NoStackAccount without_stack(const Chart& chart) {
  std::vector<UserLine> lines;
  for (const Holder& holder : chart.holders)
    lines.push_back({holder.key, {holder.bytes, holder.allocations}});
  return no_stack_account(lines);
}

std::string duration_of(const Chart& chart) {
  const std::vector<std::int64_t>& times = chart.device.record.times_us();
  if (times.size() < 2) return "";
  return format_duration(static_cast<std::uint64_t>(times.back()) - static_cast<std::uint64_t>(times.front()));
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

std::string timeline_sentence(const Chart& chart, const LineNames& names) {
  const Slice& peak = peak_of(chart);
  std::string text = chart.device.record.events == 0
                         ? fmt::format("{} on {} throughout", format_bytes(peak.live_bytes), name_of(chart))
                         : fmt::format("Peak {}{} on {}", is_segments(chart) ? "reserved " : "",
                                       format_bytes(peak.live_bytes), name_of(chart));
  if (const Holder* line = largest_line(chart))
    return fmt::format("{}: {} {} {}", text, names.of(line->key).text, is_segments(chart) ? "took" : "held",
                       format_bytes(line->bytes));
  return peak.live_bytes == 0 ? text : text + ": all of it without a stack";
}

std::string timeline_answer(const Chart& chart) {
  const std::uint32_t events = chart.device.record.events;
  const Slice& peak = peak_of(chart);
  std::string text;
  if (const Mark* oom = last_oom(chart)) {
    text = fmt::format("The out-of-memory error asked for {}", format_bytes(oom->size_bytes));
    if (oom->free_bytes <= kMaxTotalBytes) text += fmt::format(" with {} free", format_bytes(oom->free_bytes));
    text += ". ";
  }
  if (const NoStackAccount unknown = without_stack(chart); unknown.total.bytes > 0)
    text += fmt::format("{} of the peak ({}) had {}. ", format_bytes(unknown.total.bytes),
                        format_percent(unknown.total.bytes, peak.live_bytes), no_stack_text(unknown));
  if (events == 0) return text + "No events were recorded: what lived when is not known.";
  if (peak.state == 0)
    text += fmt::format("The peak was before the first of {}.", count_of(events, "event"));
  else
    text += fmt::format("The peak was at event {} of {} ({}).", format_count(peak.state - 1), format_count(events),
                        format_percent(peak.state, events));
  return text;
}

std::string alert_of(const TimelinePicture& picture, const Chart& chart) {
  const auto lost = lost_history(*picture.state.recording, chart.stats);
  std::string rehearsed = rehearsal_alert(picture.state.recording->origin.rehearsal);
  if (!lost) return rehearsed;
  return fmt::format("{}{}history is incomplete: {} ({}) without their event", rehearsed, rehearsed.empty() ? "" : "; ",
                     count_of(chart.stats.unexplained_with_stack, "block"),
                     format_bytes(chart.stats.unexplained_with_stack_bytes));
}

std::vector<std::string> timeline_facts(const TimelinePicture& picture, const Chart& chart) {
  const DeviceRecord& record = chart.device.record;
  std::vector<std::string> facts;
  if (is_whole(chart))
    facts.push_back(count_of(record.events, "event") + (duration_of(chart).empty() ? "" : " in " + duration_of(chart)));
  else
    facts.push_back(fmt::format(
        "events {} to {} of {}", format_count(chart.device.window.first == 0 ? 0 : chart.device.window.first - 1),
        format_count(chart.device.window.last == 0 ? 0 : chart.device.window.last - 1), format_count(record.events)));
  facts.push_back(count_of(record.lives.size(), "allocation"));
  if (picture.devices.size() > 1) facts.push_back(fmt::format("{} devices", picture.devices.size()));
  if (!picture.state.recording->origin.generation.empty()) facts.push_back(picture.state.recording->origin.generation);
  return facts;
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

RankedList peak_list(const Chart& chart, const LineNames& names, bool names_device) {
  RankedList list;
  list.heading = std::string(is_segments(chart) ? "Who made PyTorch reserve the peak" : "Who held the peak") +
                 (names_device ? " of " + name_of(chart) : "") + ", by your own line of code";
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
                         count_of(holder.allocations, is_segments(chart) ? "range" : "allocation"),
                         name.text + "\n" + format_count(holder.bytes) + " bytes",
                         name.paint});
  }
  name_rows(list, names.row_labels(keys));
  const std::size_t more = chart.holders.size() - list.rows.size();
  if (more > 0)
    list.rest = fmt::format("and {} with {} together", count_of(more, "more line"), format_bytes(rest_bytes));
  if (list.rows.empty()) list.rest = "Nothing lived.";
  return list;
}

std::vector<std::string> timeline_notes(const Chart& chart, bool names_device) {
  const DeviceRecord& record = chart.device.record;
  const std::string prefix = names_device ? name_of(chart) + ": " : "";
  std::vector<std::string> notes;
  if (const auto capacity = chart.place.empty() ? capacity_of(chart.device) : std::nullopt)
    notes.push_back(
        fmt::format("{}At the out-of-memory error {} were reserved and free together: what PyTorch could have "
                    "used then. What else was on the device is not in the file.",
                    prefix, format_bytes(capacity->bytes)));
  if (!is_segments(chart) && record.reserved_known_from > chart.device.window.first)
    notes.push_back(fmt::format("{}The recorded segment events do not add up{}: reserved bytes are not drawn there.",
                                prefix,
                                record.reserved_known_from > chart.device.window.last
                                    ? ""
                                    : fmt::format(" before event {}", format_count(record.reserved_known_from - 1))));
  if (const std::uint64_t snapshots = snapshots_in(chart))
    notes.push_back(fmt::format("{}▴ on the axis marks {} taken during the recording.", prefix,
                                snapshots == 1 ? "a snapshot" : format_count(snapshots) + " snapshots"));
  if (chart.lane.left_out > 0)
    notes.push_back(
        fmt::format("{}{} nested too deeply to be drawn.", prefix, count_of(chart.lane.left_out, "annotation")));
  if (chart.bands.has_negative_rest)
    notes.push_back(
        fmt::format("{}Some frees name more bytes than their allocations: bands reach above the line of live "
                    "bytes.",
                    prefix));
  if (!chart.place.empty()) return notes;
  notes.push_back(prefix + balance_text(chart.stats));
  if (chart.stats.imbalance_bytes > 0)
    notes.push_back(prefix +
                    "What the events allocated and never freed is drawn here by its lines. The file's blocks do "
                    "not have all of it: pictures of a moment show the rest without a stack.");
  return notes;
}

} // namespace memviz::render
