#include "memviz/warnings.hpp"
#include "memviz/device_kind.hpp"
#include "story/moment_words.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/rehearsal.hpp"
#include "story/accounts.hpp"
#include "story/skipped_actions.hpp"

#include <fmt/format.h>

namespace memviz {
namespace {

/// Warnings of one kind, of which a file may cause one for each device, or for each of 65,536: the first ones, and the
/// number of the others. This bounds the length of every output for such files.
class LikeWarnings {
public:
  /// `make` builds a warning; it is called only for those that are shown.
  template <class Make> void add(Make&& make) {
    if (texts_.size() < kMostShown)
      texts_.push_back(make());
    else
      ++more_;
  }

  void append_to(std::vector<std::string>& warnings) const {
    warnings.insert(warnings.end(), texts_.begin(), texts_.end());
    if (more_ > 0) warnings.push_back(fmt::format("and {} more like it", format_count(more_)));
  }

private:
  static constexpr std::size_t kMostShown = 8; ///< as many as the GPUs of a machine
  std::vector<std::string> texts_;
  std::uint64_t more_ = 0;
};

/// Returns the ring size that would have been needed, if it was or may have been too small.
std::string needed(const LostHistory& lost) {
  std::string text =
      fmt::format("max_entries of at least {} would have been needed", format_count(lost.least_max_entries));
  if (lost.least_for_all > lost.least_max_entries)
    text +=
        fmt::format(", {} if everything without a recorded alloc is from that time", format_count(lost.least_for_all));
  return text;
}

std::string at_moment(const DeviceState& device_state) {
  return fmt::format("{} {}", device_name(device_state), moment_text(device_state));
}

void add_imbalances(const MemoryState& state, std::vector<std::string>& warnings) {
  LikeWarnings imbalances;
  for (const DeviceState& device_state : state.devices)
    if (!device_state.figures.balanced()) imbalances.add([&] { return imbalance_warning(device_state); });
  imbalances.append_to(warnings);
}

/// Returns the warnings about contradictions at the moments of the devices, by kind.
class MomentWarnings {
public:
  void look_at(const DeviceState& device_state) {
    const Misfits& misfits = device_state.misfits;
    if (misfits.segment_events > 0) {
      segment_events_.add([&] {
        return fmt::format("{}: {} segment events ({}) contradict the segments of the file and were ignored; the trace "
                           "is incomplete or edited{}",
                           at_moment(device_state), format_count(misfits.segment_events),
                           format_bytes(misfits.segment_bytes), skipped_counterparts_text(device_state.figures));
      });
    }
    if (device_state.figures.outside_bytes > 0) {
      outside_.add([&] {
        return fmt::format("{}: {} requested are in no segment of that moment (<outside all segments>); the trace is "
                           "incomplete or edited{}",
                           at_moment(device_state), format_bytes(device_state.figures.outside_bytes),
                           skipped_outside_text(device_state.figures));
      });
    }
    if (misfits.unsummed_bytes > 0) {
      unsummed_.add([&] {
        return fmt::format("{}: the blocks request {} more than baseline + allocs - frees", at_moment(device_state),
                           format_bytes(misfits.unsummed_bytes));
      });
    }
    if (misfits.overwritten_allocations > 0) {
      overwritten_.add([&] {
        return fmt::format("{}: {} allocations of that moment were never freed, but their addresses were reused: what "
                           "they were is unknown{}",
                           at_moment(device_state), format_count(misfits.overwritten_allocations),
                           skipped_frees_text(device_state.figures));
      });
    }
  }

  void append_to(std::vector<std::string>& warnings) const {
    for (const LikeWarnings* kind : {&segment_events_, &outside_, &unsummed_, &overwritten_})
      kind->append_to(warnings);
  }

private:
  LikeWarnings segment_events_;
  LikeWarnings outside_;
  LikeWarnings unsummed_;
  LikeWarnings overwritten_;
};

} // namespace

std::string lost_history_text(const LostHistory& lost, const DeviceState& device_state) {
  const std::string device = device_name(device_state);
  const std::string ring =
      fmt::format("the ring held only the last {}", format_counted(device_state.figures.events, "event"));
  if (device_state.figures.unexplained_with_stack == 0)
    return fmt::format("{}: the oldest events are lost: {}; {}", device, ring, needed(lost));
  const std::string gone = fmt::format("{}: {} ({}) {} allocated while recording, but their events are lost", device,
                                       format_counted(device_state.figures.unexplained_with_stack, "block"),
                                       format_bytes(device_state.figures.unexplained_with_stack_bytes),
                                       device_state.figures.unexplained_with_stack == 1 ? "was" : "were");
  switch (lost.ring) {
  case RingState::not_full: return gone + ", although the ring was not full: recording was restarted since then";
  case RingState::full: return fmt::format("{}: {}; {}", gone, ring, needed(lost));
  case RingState::unknown: break;
  }
  return fmt::format("{}: {} ({}), or recording was restarted since then", gone, ring, needed(lost));
}

std::vector<std::string> warnings_of(const Recording& recording) {
  std::vector<std::string> warnings = recording.warnings;
  if (const auto note = device_kind_note(recording.origin.device_kind); !note.empty())
    warnings.emplace(warnings.begin(), note);
  if (recording.origin.rehearsal) warnings.insert(warnings.begin(), rehearsal_text(*recording.origin.rehearsal));
  return warnings;
}

std::vector<std::string> warnings_of(const MemoryState& state) {
  std::vector<std::string> warnings = warnings_of(*state.recording);
  add_imbalances(state, warnings);
  MomentWarnings moments;
  for (const DeviceState& device : state.devices)
    moments.look_at(device);
  moments.append_to(warnings);
  return warnings;
}

std::vector<std::string> warnings_and_losses(const MemoryState& state) {
  std::vector<std::string> warnings = warnings_of(state);
  LikeWarnings losses;
  for (const DeviceState& device_state : state.devices)
    if (const auto lost = lost_history(*state.recording, device_state.figures))
      losses.add([&] { return lost_history_text(*lost, device_state); });
  losses.append_to(warnings);
  return warnings;
}

} // namespace memviz
