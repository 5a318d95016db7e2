#pragma once

// Leaks -> text for people and JSON for programs.

#include "memviz/leaks.hpp"

#include <string>
#include <vector>

namespace memviz {

/// For people, at most 100 columns wide but for names; and for programs. The latter throws Error where the stacks would
/// be too much text.
[[nodiscard]] std::string leaks_text(const std::string& file, const MemoryState& state,
                                     const std::vector<DeviceLeaks>& devices);

[[nodiscard]] std::string leaks_json(const std::string& file, const MemoryState& state,
                                     const std::vector<DeviceLeaks>& devices);

} // namespace memviz
