#pragma once

// The Python files of hook/ and of the package's recording/, embedded at build time.

#include <span>
#include <string_view>
#include <utility>

namespace memviz::hooks {

/// Of each its path within the folder, and its text; CMakeLists.txt lists them.
extern const std::span<const std::pair<std::string_view, std::string_view>> kHookFiles;

} // namespace memviz::hooks
