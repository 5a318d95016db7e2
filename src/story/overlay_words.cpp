#include "story/overlay_words.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

std::string overlay_place(const Overlay& overlay, double share) {
  constexpr double kRounding = 1e-6; // of shares that are whole places
  const double place = share * overlay.length + kRounding;
  switch (overlay.axis) {
  case OverlayAxis::event: return fmt::format("event {}", format_count(static_cast<std::uint64_t>(place)));
  case OverlayAxis::time: return format_duration(static_cast<std::uint64_t>(place));
  case OverlayAxis::step: break;
  }
  return fmt::format("step {}", format_count(static_cast<std::uint64_t>(place) + 1));
}

std::string overlay_headline(const Overlay& overlay) {
  const std::uint64_t before = overlay.before.peak_bytes;
  const std::uint64_t after = overlay.after.peak_bytes;
  if (before == after) return fmt::format("The peak is the same: {}", format_bytes(before));
  const std::uint64_t change = std::max(before, after) - std::min(before, after);
  return fmt::format("The peak {} by {}{}: {} before, {} after", after > before ? "grew" : "shrank",
                     format_bytes(change), before == 0 ? "" : fmt::format(" ({})", format_change(change, before)),
                     format_bytes(before), format_bytes(after));
}

std::string overlay_answer(const Overlay& overlay) {
  if (!overlay.most) return "Both hold the same amount wherever both are drawn.";
  const std::uint64_t before = overlay.before.columns[*overlay.most].high_bytes;
  const std::uint64_t after = overlay.after.columns[*overlay.most].high_bytes;
  const double share = static_cast<double>(*overlay.most) / static_cast<double>(overlay.columns);
  return fmt::format("They differ most {} {}: up to {} live there before, up to {} after, {} {}.",
                     overlay.axis == OverlayAxis::step ? "in" : "at about", overlay_place(overlay, share),
                     format_bytes(before), format_bytes(after),
                     format_bytes(std::max(before, after) - std::min(before, after)), after > before ? "more" : "less");
}

std::vector<std::string> overlay_facts(const OverlaySide& side) {
  std::vector<std::string> facts{device_name(side), format_counted(side.events, "event")};
  if (side.steps > 0) facts.push_back(format_counted(side.steps, "step"));
  if (side.duration_us) facts.push_back(format_duration(*side.duration_us));
  facts.push_back("peak " + format_bytes(side.peak_bytes));
  facts.push_back("end " + format_bytes(side.end_bytes));
  return facts;
}

std::vector<std::string> overlay_notes(const Overlay& overlay) {
  std::vector<std::string> notes{"Each line spans the lowest and the highest live bytes at its place."};
  switch (overlay.axis) {
  case OverlayAxis::event:
    notes.emplace_back("Events are placed by number: an additional allocation shifts everything after it, so a "
                       "difference may be more than growth. --axis step avoids that.");
    break;
  case OverlayAxis::time: notes.emplace_back("Both begin at their first event."); break;
  case OverlayAxis::step:
    notes.emplace_back(
        "All steps have the same width, and their events are evenly spaced; events before the first step are omitted.");
    break;
  }
  return notes;
}

} // namespace memviz
