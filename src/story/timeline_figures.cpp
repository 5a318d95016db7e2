#include "memviz/format.hpp"
#include "story/figures.hpp"

#include <algorithm>

namespace memviz {
namespace {

/// A part below this share of the peak is faint.
constexpr std::uint64_t kNotableShare = 100;

FigureTone tone_of_part(std::uint64_t bytes, std::uint64_t whole_bytes) {
  return bytes < whole_bytes / kNotableShare || bytes == 0 ? FigureTone::faint : FigureTone::plain;
}

Figure peak_figure(const TimelineSubject& subject) {
  const Slice& peak = subject.peak();
  return {.name = std::string(subject.is_segments() ? "Peak reserved" : "Peak requested") +
                  (subject.is_whole() ? "" : " in this window"),
          .value = format_bytes(peak.live_bytes),
          .note = peak.state == 0 ? "before the first event" : "at event " + format_count(peak.state - 1)};
}

Figure reserved_figure(const TimelineSubject& subject) {
  const auto reserved = subject.overlay_bytes;
  if (!reserved) return {.name = "Reserved at the peak", .value = "unknown", .note = "its events are incomplete"};
  const std::uint64_t unused = *reserved - std::min(*reserved, subject.peak().live_bytes);
  return {.name = "Reserved at the peak",
          .value = format_bytes(*reserved),
          .note = format_percent(unused, *reserved) + " of it free or rounding"};
}

Figure oom_figure(const Mark& oom) {
  return {.name = "Out of memory",
          .value = format_bytes(oom.size_bytes) + " asked",
          .note = oom.free_bytes > kMaxTotalBytes ? "at event " + format_count(oom.state - 1)
                                                  : format_bytes(oom.free_bytes) + " free on the device",
          .is_warning = true};
}

} // namespace

std::vector<Figure> timeline_figures(const TimelineSubject& subject) {
  const Slice& peak = subject.peak();
  const std::uint64_t end_bytes = subject.bands.slices.back().live_bytes;
  std::vector<Figure> figures{peak_figure(subject)};
  if (subject.is_segments()) {
    const std::uint64_t live_bytes = subject.overlay_bytes.value_or(0);
    figures.push_back({.name = "Requested then",
                       .value = format_bytes(live_bytes),
                       .note = format_percent(live_bytes, peak.live_bytes) + " of reserved"});
  } else {
    if (peak.baseline_bytes > 0)
      figures.push_back({.name = "Before the first event",
                         .value = format_bytes(peak.baseline_bytes),
                         .tone = tone_of_part(peak.baseline_bytes, peak.live_bytes),
                         .note = format_percent(peak.baseline_bytes, peak.live_bytes) + " of the peak"});
    figures.push_back(reserved_figure(subject));
  }
  figures.push_back({.name = subject.is_segments() ? "Reserved at the end" : "Requested at the end",
                     .value = format_bytes(end_bytes),
                     .tone = tone_of_part(end_bytes, peak.live_bytes),
                     .note = format_percent(end_bytes, peak.live_bytes) + " of the peak"});
  if (const Mark* oom = subject.last_oom()) figures.push_back(oom_figure(*oom));
  return figures;
}

HolderTable peak_holders(const TimelineSubject& subject, const std::vector<UserLine>& holders, std::size_t most) {
  const bool by_keeper = !holders.empty() && std::holds_alternative<KeeperStep>(holders.front().key);
  const std::string heading =
      std::string(subject.is_segments() ? "Who made PyTorch reserve the peak" : "Who held the peak") +
      (subject.names_device ? " of " + timeline_owner(subject) : "") +
      (by_keeper ? ", by the variable that keeps it at the end" : ", by your own line of code");
  return holder_table(
      holders, subject.peak().live_bytes,
      {.heading = heading, .noun = subject.is_segments() ? "range" : "allocation", .nothing = "Nothing lived."},
      {.most = most});
}

} // namespace memviz
