#pragma once

// The lines of the user's own code that hold memory -> JSON.

#include "base/json_writer.hpp"
#include "memviz/flame.hpp"
#include "memviz/frames.hpp"

#include <vector>

namespace memviz {

/// Writes the key `within` with its lines; nothing if there are none.
void write_within(JsonWriter& json, const FrameTable& frames, const std::vector<InnerLine>& within);

/// Writes an array of the first 100 lines, each with its inner lines.
void write_lines(JsonWriter& json, const FrameTable& frames, const std::vector<UserLine>& lines);

} // namespace memviz
