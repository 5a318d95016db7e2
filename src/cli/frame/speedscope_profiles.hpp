#pragma once

// The devices of a snapshot -> the profiles of a speedscope file, one for each.

#include "memviz/answers.hpp"
#include "memviz/device_state.hpp"
#include "memviz/speedscope.hpp"
#include "memviz/tree.hpp"

#include <span>
#include <string>
#include <vector>

namespace memviz::cli {

/// Returns the file, the moment, and whether it was rehearsed.
[[nodiscard]] std::string snapshot_title(const Loaded& loaded, const std::string& moment);

/// Returns the levels, with the device first if there are several, because each is a separate profile.
[[nodiscard]] std::vector<Level> profile_levels(std::vector<Level> levels, std::span<const DeviceState> devices);

/// Returns a profile for each device that has memory: the one that failed or holds most first, then the largest.
[[nodiscard]] std::vector<SpeedscopeProfile> profiles_of(const Loaded& loaded, const FrameTree& tree,
                                                         std::span<const DeviceState> devices);

} // namespace memviz::cli
