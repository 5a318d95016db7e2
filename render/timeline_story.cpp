#include "timeline_story.hpp"

#include "accounts.hpp"
#include "timeline_panel.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

const Slice& peak_of(const DrawnDevice& drawn) {
  return drawn.chart.slices[drawn.chart.peak];
}

const Mark* last_oom(const DrawnDevice& drawn) {
  const Mark* last = nullptr;
  for (const Mark& mark : drawn.device.record.marks) {
    const bool is_inside = mark.state >= drawn.device.window.first && mark.state <= drawn.device.window.last;
    if (mark.kind == MarkKind::oom && is_inside) last = &mark;
  }
  return last;
}

std::uint64_t snapshots_in(const DrawnDevice& drawn) {
  const std::vector<Mark>& marks = drawn.device.record.marks;
  return static_cast<std::uint64_t>(
      std::count_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.kind == MarkKind::snapshot; }));
}

bool is_whole(const DrawnDevice& drawn) {
  return drawn.device.window.first == 0 && drawn.device.window.last + 1 == drawn.device.record.states();
}

std::string name_of(const DrawnDevice& drawn) {
  return device_name(drawn.stats.device, drawn.stats.is_cpu);
}

std::string duration_of(const DrawnDevice& drawn) {
  const std::vector<std::int64_t>& times = drawn.device.record.times_us;
  if (times.size() < 2) return "";
  return format_duration(static_cast<std::uint64_t>(times.back()) - static_cast<std::uint64_t>(times.front()));
}

Figure peak_figure(const DrawnDevice& drawn) {
  const Slice& peak = peak_of(drawn);
  return {.name = is_whole(drawn) ? "Peak requested" : "Peak in this window",
          .value = format_bytes(peak.live_bytes),
          .note = peak.state == 0 ? "before the first event" : "at event " + format_count(peak.state - 1)};
}

Figure reserved_figure(const DrawnDevice& drawn) {
  const auto reserved = reserved_at(drawn.device.record, peak_of(drawn).state);
  if (!reserved) return {.name = "Reserved at the peak", .value = "unknown", .note = "its events are incomplete"};
  const std::uint64_t unused = *reserved - std::min(*reserved, peak_of(drawn).live_bytes);
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

std::string timeline_sentence(const DrawnDevice& drawn) {
  const Slice& peak = peak_of(drawn);
  const std::uint32_t events = drawn.device.record.events;
  if (events == 0)
    return fmt::format("{} lived on {} throughout: no events were recorded", format_bytes(peak.live_bytes),
                       name_of(drawn));
  std::string text = fmt::format("Peak {} on {}", format_bytes(peak.live_bytes), name_of(drawn));
  if (peak.state == 0)
    text += fmt::format(" before the first of {}", count_of(events, "event"));
  else
    text += fmt::format(" at event {} ({} of {})", format_count(peak.state - 1), format_percent(peak.state, events),
                        format_count(events));
  return text;
}

std::string timeline_answer(const DrawnDevice& drawn, const FrameTable& frames) {
  std::string text;
  if (const Mark* oom = last_oom(drawn)) {
    text = fmt::format("The out-of-memory error asked for {}", format_bytes(oom->size_bytes));
    if (oom->free_bytes <= kMaxTotalBytes) text += fmt::format(" with {} free", format_bytes(oom->free_bytes));
    text += ". ";
  }
  if (drawn.holders.empty()) return text;
  const Holder& largest = drawn.holders.front();
  const Label label = key_label(frames, largest.key);
  const std::string share = format_percent(largest.bytes, peak_of(drawn).live_bytes);
  if (largest.key.kind == NodeKind::frame)
    text += fmt::format("At the peak, {}{}{} held {} ({}).", label.name, label.place.empty() ? "" : " ", label.place,
                        format_bytes(largest.bytes), share);
  else
    text +=
        fmt::format("At the peak, {} ({}) had no stack that tells who held it.", format_bytes(largest.bytes), share);
  return text;
}

std::vector<std::string> timeline_facts(const TimelinePicture& picture, const DrawnDevice& drawn) {
  const DeviceRecord& record = drawn.device.record;
  std::vector<std::string> facts;
  if (is_whole(drawn))
    facts.push_back(count_of(record.events, "event") + (duration_of(drawn).empty() ? "" : " in " + duration_of(drawn)));
  else
    facts.push_back(fmt::format(
        "events {} to {} of {}", format_count(drawn.device.window.first == 0 ? 0 : drawn.device.window.first - 1),
        format_count(drawn.device.window.last == 0 ? 0 : drawn.device.window.last - 1), format_count(record.events)));
  facts.push_back(count_of(record.lives.size(), "allocation"));
  if (picture.devices.size() > 1) facts.push_back(fmt::format("{} devices", picture.devices.size()));
  if (!picture.snapshot.origin.generation.empty()) facts.push_back(picture.snapshot.origin.generation);
  return facts;
}

std::vector<Figure> timeline_figures(const DrawnDevice& drawn) {
  const Slice& peak = peak_of(drawn);
  std::vector<Figure> figures{peak_figure(drawn)};
  figures.push_back({.name = "Of it before recording",
                     .value = format_bytes(peak.baseline_bytes),
                     .note = format_percent(peak.baseline_bytes, peak.live_bytes) + " of the peak",
                     .swatch = &paint::kBaseline});
  figures.push_back(reserved_figure(drawn));
  figures.push_back(
      {.name = "Requested at the end",
       .value = format_bytes(drawn.stats.end_requested_bytes),
       .note = format_percent(drawn.stats.end_requested_bytes, drawn.stats.peak_requested_bytes) + " of the peak"});
  if (const Mark* oom = last_oom(drawn)) figures.push_back(oom_figure(*oom));
  return figures;
}

RankedList peak_list(const DrawnDevice& drawn, const FrameTable& frames, const LineNames& names, bool names_device) {
  RankedList list;
  list.heading = "Who held the peak" + (names_device ? " of " + name_of(drawn) : "") + ", by your own line of code";
  const std::uint64_t whole = peak_of(drawn).live_bytes;
  std::uint64_t rest_bytes = 0;
  for (const Holder& holder : drawn.holders) {
    if (list.rows.size() == kRankedRows) {
      rest_bytes += holder.bytes;
      continue;
    }
    const LineName name = names.of(holder.key);
    list.rows.push_back({format_bytes(holder.bytes), holder.bytes, format_percent(holder.bytes, whole),
                         key_label(frames, holder.key), count_of(holder.allocations, "allocation"),
                         name.text + "\n" + format_count(holder.bytes) + " bytes", name.paint});
  }
  const std::size_t more = drawn.holders.size() - list.rows.size();
  if (more > 0)
    list.rest = fmt::format("and {} with {} together", count_of(more, "more line"), format_bytes(rest_bytes));
  if (list.rows.empty()) list.rest = "Nothing lived.";
  return list;
}

std::vector<std::string> timeline_notes(const DrawnDevice& drawn, bool names_device) {
  const DeviceRecord& record = drawn.device.record;
  const std::string prefix = names_device ? name_of(drawn) + ": " : "";
  std::vector<std::string> notes;
  if (const auto capacity = capacity_of(record, drawn.device.window))
    notes.push_back(
        fmt::format("{}at the out-of-memory error {} were reserved and free together: what PyTorch could have "
                    "used then. What else was on the device is not in the file.",
                    prefix, format_bytes(capacity->bytes)));
  if (record.reserved_known_from > drawn.device.window.first)
    notes.push_back(fmt::format("{}the recorded segment events do not add up{}: reserved bytes are not drawn there.",
                                prefix,
                                record.reserved_known_from > drawn.device.window.last
                                    ? ""
                                    : fmt::format(" before event {}", format_count(record.reserved_known_from - 1))));
  if (const std::uint64_t snapshots = snapshots_in(drawn))
    notes.push_back(fmt::format("{}▴ on the axis marks {} taken during the recording.", prefix,
                                snapshots == 1 ? "a snapshot" : format_count(snapshots) + " snapshots"));
  if (drawn.lane.left_out > 0)
    notes.push_back(
        fmt::format("{}{} nested too deeply to be drawn.", prefix, count_of(drawn.lane.left_out, "annotation")));
  if (drawn.chart.has_negative_rest)
    notes.push_back(
        fmt::format("{}some frees name more bytes than their allocations: bands reach above the line of live "
                    "bytes.",
                    prefix));
  notes.push_back(prefix + balance_text(drawn.stats));
  return notes;
}

} // namespace memviz::render
