#pragma once

// Leaks -> text for people and JSON for programs.

#include "memviz/leaks.hpp"

#include <string>
#include <vector>

namespace memviz {

/// Returns the text for people, at most 100 columns wide except for names, and the JSON for programs. leaks_json()
/// throws Error if the stacks would be too much text.
[[nodiscard]] std::string leaks_text(const std::string& file, const MemoryState& state,
                                     const std::vector<DeviceLeaks>& devices);

[[nodiscard]] std::string leaks_json(const std::string& file, const MemoryState& state,
                                     const std::vector<DeviceLeaks>& devices);

} // namespace memviz
