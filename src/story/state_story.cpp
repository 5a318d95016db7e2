#include "base/capitalized.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/story.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

/// The devices that are drawn, and which of them sentences describe.
struct Shown {
  std::span<const DeviceState> devices;
  const DeviceState* leading; ///< null if they share a moment
  DeviceFigures figures;

  [[nodiscard]] std::string owner() const { return leading == nullptr ? devices_text(devices) : device_name(*leading); }
};

std::string state_headline(const Shown& shown, const std::optional<FailedRequest>& failed) {
  if (failed) {
    return fmt::format("{} ran out of memory: {} asked for, largest hole {}", device_name(failed->device_state),
                       format_bytes(failed->bytes), format_bytes(failed->largest_hole_bytes));
  }
  return fmt::format("{} {}: {}", shown.devices.empty() ? shown.owner() : capitalized(shown.owner()),
                     short_moment_text(shown_moment(shown.devices)), use_text(shown.figures));
}

std::string holes_text(const MemoryState& state, const Shown& shown, std::optional<DeviceId> device) {
  std::uint64_t hole_bytes = 0;
  std::uint64_t holes = 0;
  for (const Segment& segment : state.segments) {
    if (device && *device != segment.device) continue;
    if (shown.leading != nullptr && shown.leading->device != segment.device) continue;
    for (const Block& block : state.blocks_of(segment)) {
      if (block.is_active()) continue;
      ++holes;
      hole_bytes = std::max(hole_bytes, block.size_bytes);
    }
  }
  const std::string counts = fmt::format("{} with {}", format_counted(shown.figures.segments, "segment"),
                                         format_counted(shown.figures.blocks, "block"));
  if (holes == 0) return counts + ": no free memory inside segments.";
  return fmt::format("{}: {} free in {}, the largest of {}.", counts, format_bytes(shown.figures.inactive_bytes),
                     format_counted(holes, "hole"), format_bytes(hole_bytes));
}

std::vector<std::string> state_facts(const MemoryState& state, const Shown& shown) {
  std::vector<std::string> facts{moments_text(shown.devices)};
  if (!state.recording->origin.generation.empty()) facts.push_back(state.recording->origin.generation);
  const DeviceState* const device = shown_device(shown.devices);
  if (device == nullptr) return facts;
  const std::string others = other_moments_text("state", *device, shown.leading == nullptr ? "" : shown.owner());
  if (!others.empty()) facts.push_back(others);
  return facts;
}

} // namespace

Story state_story(const MemoryState& state, std::optional<DeviceId> device,
                  const std::optional<FailedRequest>& failed) {
  const std::span<const DeviceState> devices = state.devices_of(device);
  const Shown shown{devices, leading_device(devices), shown_figures(devices)};
  Story story;
  story.headline = state_headline(shown, failed);
  story.answer = holes_text(state, shown, device);
  story.alert = rehearsal_alert(state.recording->origin.rehearsal);
  story.facts = state_facts(state, shown);
  return story;
}

} // namespace memviz
