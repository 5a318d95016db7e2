#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/no_stack.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/short_label.hpp"
#include "memviz/story.hpp"
#include "story/accounts.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {
namespace {

const Slice& peak_of(const TimelineFigures& figures) {
  return figures.bands.slices[figures.bands.peak];
}

const Mark* last_oom(const TimelineFigures& figures) {
  const Mark* last = nullptr;
  for (const Mark& mark : figures.record.marks) {
    const bool is_inside = mark.state >= figures.window.first && mark.state <= figures.window.last;
    if (mark.kind == MarkKind::oom && is_inside) last = &mark;
  }
  return last;
}

std::uint64_t snapshots_in(const TimelineFigures& figures) {
  const std::vector<Mark>& marks = figures.record.marks;
  return static_cast<std::uint64_t>(
      std::count_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.kind == MarkKind::state; }));
}

bool is_segments(const TimelineFigures& figures) {
  return figures.kind == TimelineKind::segments;
}

bool is_whole(const TimelineFigures& figures) {
  return figures.window.first == 0 && figures.window.last + 1 == figures.record.states();
}

/// Of the peak; null where no stack tells.
const Holder* largest_line(const TimelineFigures& figures) {
  const auto line = std::find_if(figures.holders.begin(), figures.holders.end(),
                                 [](const Holder& holder) { return holder.key.kind == NodeKind::frame; });
  return line == figures.holders.end() ? nullptr : &*line;
}

/// Of the peak.
NoStackAccount without_stack(const TimelineFigures& figures) {
  std::vector<UserLine> lines;
  for (const Holder& holder : figures.holders)
    lines.push_back({holder.key, {holder.bytes, holder.allocations}});
  return no_stack_account(lines);
}

std::string duration_of(const TimelineFigures& figures) {
  const std::vector<std::int64_t>& times = figures.record.times_us();
  if (times.size() < 2) return "";
  return format_duration(static_cast<std::uint64_t>(times.back()) - static_cast<std::uint64_t>(times.front()));
}

std::string line_name(const TimelineFigures& figures, const NodeKey& line) {
  const Label label = key_label(figures.state.frames(), line);
  return label.place.empty() ? label.name : label.name + " " + label.place;
}

std::string timeline_headline(const TimelineFigures& figures) {
  const Slice& peak = peak_of(figures);
  std::string text = figures.record.events == 0
                         ? fmt::format("{} on {} throughout", format_bytes(peak.live_bytes), timeline_owner(figures))
                         : fmt::format("Peak {}{} on {}", is_segments(figures) ? "reserved " : "",
                                       format_bytes(peak.live_bytes), timeline_owner(figures));
  if (const Holder* line = largest_line(figures))
    return fmt::format("{}: {} {} {}", text, line_name(figures, line->key), is_segments(figures) ? "took" : "held",
                       format_bytes(line->bytes));
  return peak.live_bytes == 0 ? text : text + ": all of it without a stack";
}

std::string timeline_answer(const TimelineFigures& figures) {
  const std::uint32_t events = figures.record.events;
  const Slice& peak = peak_of(figures);
  std::string text;
  if (const Mark* oom = last_oom(figures)) {
    text = fmt::format("The out-of-memory error asked for {}", format_bytes(oom->size_bytes));
    if (oom->free_bytes <= kMaxTotalBytes) text += fmt::format(" with {} free", format_bytes(oom->free_bytes));
    text += ". ";
  }
  if (const NoStackAccount unknown = without_stack(figures); unknown.total.bytes > 0)
    text += fmt::format("{} of the peak ({}) had {}. ", format_bytes(unknown.total.bytes),
                        format_percent(unknown.total.bytes, peak.live_bytes), no_stack_text(unknown));
  if (events == 0) return text + "No events were recorded: what lived when is not known.";
  if (peak.state == 0)
    text += fmt::format("The peak was before the first of {}.", format_counted(events, "event"));
  else
    text += fmt::format("The peak was at event {} of {} ({}).", format_count(peak.state - 1), format_count(events),
                        format_percent(peak.state, events));
  return text;
}

std::string timeline_alert(const TimelineFigures& figures) {
  const auto lost = lost_history(*figures.state.recording, figures.stats);
  std::string rehearsed = rehearsal_alert(figures.state.recording->origin.rehearsal);
  if (!lost) return rehearsed;
  return fmt::format("{}{}history is incomplete: {} ({}) without their event", rehearsed, rehearsed.empty() ? "" : "; ",
                     format_counted(figures.stats.unexplained_with_stack, "block"),
                     format_bytes(figures.stats.unexplained_with_stack_bytes));
}

std::vector<std::string> timeline_facts(const TimelineFigures& figures) {
  const DeviceRecord& record = figures.record;
  std::vector<std::string> facts;
  if (is_whole(figures))
    facts.push_back(format_counted(record.events, "event") +
                    (duration_of(figures).empty() ? "" : " in " + duration_of(figures)));
  else
    facts.push_back(
        fmt::format("events {} to {} of {}", format_count(figures.window.first == 0 ? 0 : figures.window.first - 1),
                    format_count(figures.window.last == 0 ? 0 : figures.window.last - 1), format_count(record.events)));
  facts.push_back(format_counted(record.lives.size(), "allocation"));
  if (figures.devices > 1) facts.push_back(fmt::format("{} devices", figures.devices));
  if (!figures.state.recording->origin.generation.empty()) facts.push_back(figures.state.recording->origin.generation);
  return facts;
}

std::vector<std::string> timeline_notes(const TimelineFigures& figures) {
  const DeviceRecord& record = figures.record;
  const std::string prefix = figures.names_device ? timeline_owner(figures) + ": " : "";
  std::vector<std::string> notes;
  if (figures.capacity_bytes && figures.place.empty())
    notes.push_back(
        fmt::format("{}At the out-of-memory error {} were reserved and free together: what PyTorch could have "
                    "used then. What else was on the device is not in the file.",
                    prefix, format_bytes(*figures.capacity_bytes)));
  if (!is_segments(figures) && record.reserved_known_from > figures.window.first)
    notes.push_back(fmt::format("{}The recorded segment events do not add up{}: reserved bytes are not drawn there.",
                                prefix,
                                record.reserved_known_from > figures.window.last
                                    ? ""
                                    : fmt::format(" before event {}", format_count(record.reserved_known_from - 1))));
  if (const std::uint64_t snapshots = snapshots_in(figures))
    notes.push_back(fmt::format("{}▴ on the axis marks {} taken during the recording.", prefix,
                                snapshots == 1 ? "a snapshot" : format_count(snapshots) + " snapshots"));
  if (figures.annotations_left_out > 0)
    notes.push_back(fmt::format("{}{} nested too deeply to be drawn.", prefix,
                                format_counted(figures.annotations_left_out, "annotation")));
  if (figures.bands.has_negative_rest)
    notes.push_back(
        fmt::format("{}Some frees name more bytes than their allocations: bands reach above the line of live "
                    "bytes.",
                    prefix));
  if (!figures.place.empty()) return notes;
  notes.push_back(prefix + balance_text(figures.stats));
  if (figures.stats.imbalance_bytes > 0)
    notes.push_back(prefix +
                    "What the events allocated and never freed is drawn here by its lines. The file's blocks do "
                    "not have all of it: pictures of a moment show the rest without a stack.");
  return notes;
}

} // namespace

std::string timeline_owner(const TimelineFigures& figures) {
  const std::string name = device_name(figures.stats.device, figures.stats.is_cpu);
  return figures.place.empty() ? name : name + ", " + figures.place;
}

Story timeline_story(const TimelineFigures& figures) {
  Story story;
  story.headline = timeline_headline(figures);
  story.answer = timeline_answer(figures);
  story.alert = timeline_alert(figures);
  story.facts = timeline_facts(figures);
  story.notes = timeline_notes(figures);
  return story;
}

} // namespace memviz
