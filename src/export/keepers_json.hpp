#pragma once

// Keepers -> JSON, as explain writes them.

#include "base/json_writer.hpp"
#include "memviz/keeper_answers.hpp"

#include <optional>

namespace memviz {

/// Writes an object; null if there are no keepers.
void write_keepers(JsonWriter& json, const FrameTable& frames, const std::optional<DeviceKeepers>& keepers);

} // namespace memviz
