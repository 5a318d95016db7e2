#pragma once

// The lines of the user's own code that hold memory -> JSON.

#include "base/json_writer.hpp"
#include "memviz/called_line.hpp"
#include "memviz/flame.hpp"
#include "memviz/frames.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// Writes the key `within` with its lines; nothing if there are none.
void write_within(JsonWriter& json, const FrameTable& frames, const std::vector<InnerLine>& within);

/// Writes the key `callers` with their lines; nothing if there are none.
void write_callers(JsonWriter& json, std::span<const std::string> callers);

/// Writes an array of the first 100 lines, each with its callers, where they are given, and its inner lines.
void write_lines(JsonWriter& json, const FrameTable& frames, const std::vector<UserLine>& lines,
                 const std::map<NodeKey, CalledLine>& callers = {});

} // namespace memviz
