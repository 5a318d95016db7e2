#pragma once

// Steps in JSON.

#include "base/json_writer.hpp"
#include "memviz/leaks.hpp"

namespace memviz {

/// Writes the member "steps": where they begin, and how that was found.
void write_steps(JsonWriter& json, const Recording& recording, const Steps& steps);

} // namespace memviz
