#include "memviz/lost_history.hpp"

#include "analysis/replay/like_warnings.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

/// What would have been needed where the ring was, or may have been, too small.
std::string needed(const LostHistory& lost) {
  std::string text =
      fmt::format("max_entries of at least {} would have been needed", format_count(lost.least_max_entries));
  if (lost.least_for_all > lost.least_max_entries)
    text +=
        fmt::format(", {} if everything without a recorded alloc is of that time", format_count(lost.least_for_all));
  return text;
}

} // namespace

RingState ring_state(const Recording& recording, const EventCounts& counts) {
  const bool has_room = recording.trace_max_entries && counts.events < *recording.trace_max_entries;
  if (has_room || recording.trace_overflowed == false) return RingState::not_full;
  return recording.trace_overflowed ? RingState::full : RingState::unknown;
}

std::string_view baseline_text(const DeviceStats& stats) {
  return stats.may_have_lost_events ? "before recording or lost in the ring" : "before recording";
}

std::optional<LostHistory> lost_history(const Recording& recording, const DeviceStats& stats) {
  const std::uint64_t unexplained = stats.unmatched_frees + stats.unexplained_blocks;
  LostHistory lost;
  lost.ring = ring_state(recording, stats);
  const bool is_proven = stats.unexplained_with_stack > 0 || (lost.ring == RingState::full && unexplained > 0);
  if (stats.events == 0 || !stats.balanced() || !is_proven) return std::nullopt;
  lost.least_max_entries = stats.events + std::max<std::uint64_t>(stats.unexplained_with_stack, 1);
  lost.least_for_all = stats.events + unexplained;
  return lost;
}

std::string lost_history_text(const LostHistory& lost, const DeviceStats& stats) {
  const std::string device = device_name(stats.device, stats.is_cpu);
  const std::string ring = fmt::format("the ring held only the last {}", format_counted(stats.events, "event"));
  if (stats.unexplained_with_stack == 0)
    return fmt::format("{}: what was recorded first is lost: {}; {}", device, ring, needed(lost));
  const std::string gone =
      fmt::format("{}: {} ({}) {} allocated while recording, but the events are gone", device,
                  format_counted(stats.unexplained_with_stack, "block"),
                  format_bytes(stats.unexplained_with_stack_bytes), stats.unexplained_with_stack == 1 ? "was" : "were");
  switch (lost.ring) {
  case RingState::not_full: return gone + ", although the ring was not full: recording was restarted since";
  case RingState::full: return fmt::format("{}: {}; {}", gone, ring, needed(lost));
  case RingState::unknown: break;
  }
  return fmt::format("{}: {} ({}), or recording was restarted since", gone, ring, needed(lost));
}

std::vector<std::string> warnings_and_losses(const MemoryState& state) {
  std::vector<std::string> warnings = state.all_warnings();
  LikeWarnings losses;
  for (const DeviceStats& stats : state.devices)
    if (const auto lost = lost_history(*state.recording, stats))
      losses.add([&] { return lost_history_text(*lost, stats); });
  losses.append_to(warnings);
  return warnings;
}

} // namespace memviz
