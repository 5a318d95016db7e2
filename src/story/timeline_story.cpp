#include "analysis/tree/no_stack_account.hpp"
#include "base/capitalized.hpp"
#include "memviz/format.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/story.hpp"
#include "story/accounts.hpp"
#include "story/kind_totals.hpp"
#include "story/no_stack_words.hpp"
#include "story/short_label.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {
namespace {

std::uint64_t snapshots_in(const TimelineSubject& subject) {
  const std::vector<Mark>& marks = subject.record.marks;
  return static_cast<std::uint64_t>(
      std::ranges::count_if(marks, [](const Mark& mark) { return mark.kind == MarkKind::state; }));
}

/// Returns the largest line at the peak; null if no stack is known, or it holds less than a tenth of the peak.
const UserLine* largest_line(const TimelineSubject& subject) {
  const auto line = std::ranges::find_if(subject.holders, [](const UserLine& holder) { return is_frame(holder.key); });
  constexpr std::uint64_t kLeastShare = 10;
  const bool stands_out =
      line != subject.holders.end() && line->amount.bytes >= subject.peak().live_bytes / kLeastShare;
  return stands_out ? &*line : nullptr;
}

/// Returns the account of memory without a stack at the peak.
NoStackAccount without_stack(const TimelineSubject& subject) {
  return no_stack_account(subject.holders);
}

std::string duration_of(const TimelineSubject& subject) {
  const std::vector<std::int64_t>& times = subject.record.times_us();
  if (times.size() < 2) return "";
  return format_duration(static_cast<std::uint64_t>(times.back()) - static_cast<std::uint64_t>(times.front()));
}

/// "At the peak: 71 % activations, 20 % parameters; 9 % unknown. "; "" if the kind of less than half is known.
std::string peak_kinds_text(const TimelineSubject& subject) {
  const KindAccount kinds = kind_account(held_kinds(subject.holders));
  return is_mostly_known(kinds) ? fmt::format("At the peak: {}. ", kind_shares_text(kinds)) : "";
}

std::string line_name(const TimelineSubject& subject, const NodeKey& line) {
  const Label label = key_label(subject.state.frames(), line);
  return label.place.empty() ? label.name : label.name + " " + label.place;
}

/// "GPU 0 ran out of memory: 5.00 GiB asked for; peak 18.0 GiB"
std::string timeline_oom_headline(const TimelineSubject& subject, const Mark& oom) {
  return fmt::format("{} ran out of memory: {} asked for; peak {}{}", capitalized(timeline_owner(subject)),
                     format_bytes(oom.size_bytes), subject.is_segments() ? "reserved " : "",
                     format_bytes(subject.peak().live_bytes));
}

std::string timeline_headline(const TimelineSubject& subject) {
  if (const Mark* const oom = subject.last_oom()) return timeline_oom_headline(subject, *oom);
  const Slice& peak = subject.peak();
  std::string text = subject.record.events == 0
                         ? fmt::format("{}{} on {} throughout", format_bytes(peak.live_bytes),
                                       subject.is_segments() ? " reserved" : " requested", timeline_owner(subject))
                         : fmt::format("Peak {}{} on {}", subject.is_segments() ? "reserved " : "",
                                       format_bytes(peak.live_bytes), timeline_owner(subject));
  if (const UserLine* line = largest_line(subject))
    return fmt::format("{}: {} {} {}", text, line_name(subject, line->key), subject.is_segments() ? "took" : "held",
                       format_bytes(line->amount.bytes));
  const bool has_stacks = std::ranges::any_of(subject.holders, [](const UserLine& line) { return is_frame(line.key); });
  return peak.live_bytes == 0 || has_stacks ? text : text + ": all of it without a stack";
}

std::string timeline_answer(const TimelineSubject& subject) {
  const std::uint32_t events = subject.record.events;
  const Slice& peak = subject.peak();
  std::string text;
  if (const Mark* oom = subject.last_oom(); oom != nullptr && oom->free_bytes <= kMaxTotalBytes)
    text = fmt::format("The device had {} free at the out-of-memory error. ", format_bytes(oom->free_bytes));
  constexpr std::uint64_t kWorthASentence = 100;
  if (const NoStackAccount unknown = without_stack(subject);
      unknown.total.bytes > 0 && unknown.total.bytes >= peak.live_bytes / kWorthASentence)
    text += fmt::format("{} of the peak ({}) had {}. ", format_bytes(unknown.total.bytes),
                        format_percent(unknown.total.bytes, peak.live_bytes), no_stack_text(unknown));
  text += peak_kinds_text(subject);
  if (events == 0) return text + "No events were recorded: what was live at which time is unknown.";
  if (peak.state == 0)
    text += fmt::format("The peak was before the first of {}.", format_counted(events, "event"));
  else
    text += fmt::format("The peak was at event {} of {} ({}).", format_count(peak.state - 1), format_count(events),
                        format_percent(peak.state, events));
  return text;
}

std::string timeline_alert(const TimelineSubject& subject) {
  const auto lost = lost_history(*subject.state.recording, subject.device_state.figures);
  std::string rehearsed = rehearsal_alert(subject.state.recording->origin.rehearsal);
  if (!lost) return rehearsed;
  return fmt::format("{}{}history is incomplete: {} ({}) without their event", rehearsed, rehearsed.empty() ? "" : "; ",
                     format_counted(subject.device_state.figures.unexplained_with_stack, "block"),
                     format_bytes(subject.device_state.figures.unexplained_with_stack_bytes));
}

std::vector<std::string> timeline_facts(const TimelineSubject& subject) {
  const DeviceRecord& record = subject.record;
  std::vector<std::string> facts;
  // With other devices present, the counts are of this one.
  const std::string owner = subject.devices > 1 ? " of " + timeline_owner(subject) : "";
  if (subject.is_whole())
    facts.push_back(format_counted(record.events, "event") + owner +
                    (duration_of(subject).empty() ? "" : " in " + duration_of(subject)));
  else
    facts.push_back(fmt::format(
        "events {} to {} of {}{}", format_count(subject.window.first == 0 ? 0 : subject.window.first - 1),
        format_count(subject.window.last == 0 ? 0 : subject.window.last - 1), format_count(record.events), owner));
  facts.push_back(format_counted(record.lives.size(), "allocation"));
  if (subject.devices > 1) facts.push_back(fmt::format("{} devices", subject.devices));
  if (!subject.state.recording->origin.generation.empty()) facts.push_back(subject.state.recording->origin.generation);
  return facts;
}

std::vector<std::string> timeline_notes(const TimelineSubject& subject) {
  const DeviceRecord& record = subject.record;
  const std::string prefix = subject.names_device ? capitalized(timeline_owner(subject)) + ": " : "";
  std::vector<std::string> notes;
  if (subject.capacity_bytes && subject.place.empty())
    notes.push_back(fmt::format("{}At the out-of-memory error, reserved and free memory together were {}: what PyTorch "
                                "could have used. Other memory on the device is not in the file.",
                                prefix, format_bytes(*subject.capacity_bytes)));
  if (!subject.is_segments() && record.reserved_known_from > subject.window.first)
    notes.push_back(fmt::format("{}The recorded segment events do not add up{}: reserved bytes are not drawn there.",
                                prefix,
                                record.reserved_known_from > subject.window.last
                                    ? ""
                                    : fmt::format(" before event {}", format_count(record.reserved_known_from - 1))));
  if (const std::uint64_t snapshots = snapshots_in(subject))
    notes.push_back(fmt::format("{}▴ on the axis marks {} taken during the recording.", prefix,
                                snapshots == 1 ? "a snapshot" : format_count(snapshots) + " snapshots"));
  if (subject.annotations_left_out > 0)
    notes.push_back(fmt::format("{}{} nested too deeply to be drawn.", prefix,
                                format_counted(subject.annotations_left_out, "annotation")));
  if (subject.bands.has_negative_rest)
    notes.push_back(fmt::format(
        "{}Some frees have more bytes than their allocations, so bands extend above the line of live bytes.", prefix));
  if (!subject.place.empty()) return notes;
  notes.push_back(prefix + balance_text(subject.device_state.figures));
  if (subject.device_state.figures.imbalance_bytes > 0)
    notes.push_back(prefix + "Memory that the events allocated and never freed is drawn here by its lines. The file's "
                             "blocks do not contain all of it: pictures of a moment show the rest without a stack.");
  return notes;
}

} // namespace

const Mark* TimelineSubject::last_oom() const {
  const Mark* last = nullptr;
  for (const Mark& mark : record.marks)
    if (mark.kind == MarkKind::oom && mark.state >= window.first && mark.state <= window.last) last = &mark;
  return last;
}

std::string timeline_owner(const TimelineSubject& subject) {
  const std::string name = device_name(subject.device_state);
  return subject.place.empty() ? name : name + ", " + subject.place;
}

Story timeline_story(const TimelineSubject& subject) {
  Story story;
  story.headline = timeline_headline(subject);
  story.answer = timeline_answer(subject);
  story.alert = timeline_alert(subject);
  story.facts = timeline_facts(subject);
  story.notes = timeline_notes(subject);
  return story;
}

} // namespace memviz
