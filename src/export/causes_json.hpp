#pragma once

// Causes -> JSON, as explain and leaks write them.

#include "base/json_writer.hpp"
#include "story/cause_words.hpp"

#include <span>

namespace memviz {

/// Writes an array. `scope` is the memory that they are a part of.
void write_causes(JsonWriter& json, const FrameTable& frames, const CauseScope& scope, std::span<const Cause> causes);

} // namespace memviz
