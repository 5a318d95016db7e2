#include "base/capitalized.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/story.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

/// The devices that are drawn, and which of them sentences are about.
struct Shown {
  std::vector<DeviceStats> devices;
  std::optional<DeviceId> leading;
  DeviceStats sum; ///< of the leading device, where these are at different moments

  [[nodiscard]] std::string owner() const {
    return leading ? device_name(sum.device, sum.is_cpu) : devices_text(devices);
  }
};

std::string state_headline(const Shown& shown, const std::optional<FailedRequest>& failed) {
  if (failed) {
    return fmt::format("{} ran out of memory: {} asked for, largest hole {}",
                       device_name(failed->stats.device, failed->stats.is_cpu), format_bytes(failed->bytes),
                       format_bytes(failed->largest_hole_bytes));
  }
  return fmt::format("{} {}: {}", shown.devices.empty() ? shown.owner() : capitalized(shown.owner()),
                     short_moment_text(shown.sum.at), use_text(shown.sum));
}

std::string holes_text(const MemoryState& state, const Shown& shown, std::optional<DeviceId> device) {
  std::uint64_t hole_bytes = 0;
  std::uint64_t holes = 0;
  for (const Segment& segment : state.segments) {
    if (device && *device != segment.device) continue;
    if (shown.leading && *shown.leading != segment.device) continue;
    for (const Block& block : state.blocks_of(segment)) {
      if (block.is_active()) continue;
      ++holes;
      hole_bytes = std::max(hole_bytes, block.size_bytes);
    }
  }
  return fmt::format("{} with {}: {} free in {}, the largest of {}.", format_counted(shown.sum.segments, "segment"),
                     format_counted(shown.sum.blocks, "block"), format_bytes(shown.sum.inactive_bytes),
                     format_counted(holes, "hole"), format_bytes(hole_bytes));
}

std::vector<std::string> state_facts(const MemoryState& state, const Shown& shown) {
  std::vector<std::string> facts{moments_text(shown.devices)};
  if (!state.recording->origin.generation.empty()) facts.push_back(state.recording->origin.generation);
  if (!shown.leading && shown.devices.size() != 1) return facts;
  const std::string others = other_moments_text("state", shown.sum, shown.leading ? shown.owner() : "");
  if (!others.empty()) facts.push_back(others);
  return facts;
}

} // namespace

Story state_story(const MemoryState& state, std::optional<DeviceId> device,
                  const std::optional<FailedRequest>& failed) {
  Shown shown{.devices = state.stats_of(device), .leading = std::nullopt, .sum = {}};
  shown.leading = leading_device(shown.devices);
  shown.sum = leading_or_sum(shown.devices);
  Story story;
  story.headline = state_headline(shown, failed);
  story.answer = holes_text(state, shown, device);
  story.alert = rehearsal_alert(state.recording->origin.rehearsal);
  story.facts = state_facts(state, shown);
  return story;
}

} // namespace memviz
