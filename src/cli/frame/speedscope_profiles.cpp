#include "cli/frame/speedscope_profiles.hpp"

#include "memviz/label.hpp"
#include "memviz/rehearsal.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <variant>

namespace memviz::cli {

std::string snapshot_title(const Loaded& loaded, const std::string& moment) {
  const std::string title = picture_name(loaded.name) + ", " + moment;
  const std::string alert = rehearsal_alert(loaded.state.recording->origin.rehearsal);
  return alert.empty() ? title : title + ", " + alert;
}

std::vector<Level> profile_levels(std::vector<Level> levels, std::span<const DeviceState> devices) {
  if (devices.size() < 2) return levels;
  std::erase(levels, Level::device);
  levels.insert(levels.begin(), Level::device);
  return levels;
}

std::vector<SpeedscopeProfile> profiles_of(const Loaded& loaded, const FrameTree& tree,
                                           std::span<const DeviceState> devices) {
  const DeviceState* const first = devices.size() < 2 ? nullptr : failed_first(devices).front();
  std::vector<SpeedscopeProfile> profiles;
  for (NodeId node = tree.root().first_child; first != nullptr && node != kNoNode; node = tree[node].next_sibling) {
    const DeviceId id = std::get<DeviceKey>(tree[node].key).device;
    const DeviceState& device = *std::ranges::find(devices, id, &DeviceState::device);
    profiles.push_back({snapshot_title(loaded, device_name(device) + " " + moment_text(device)), node});
    if (id == first->device) std::rotate(profiles.begin(), profiles.end() - 1, profiles.end());
  }
  if (profiles.empty()) profiles.push_back({snapshot_title(loaded, moments_text(devices)), kRoot});
  return profiles;
}

} // namespace memviz::cli
