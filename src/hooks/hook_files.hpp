#pragma once

// The Python files of record/, of the package's recording/ and of rehearsal/hook/, embedded at build time.

#include <span>
#include <string_view>
#include <utility>

namespace memviz::hooks {

/// Returns the path of each file of `memviz run` within its folder, and its text; CMakeLists.txt lists them.
extern const std::span<const std::pair<std::string_view, std::string_view>> kHookFiles;

/// Returns the path of each file of `memviz rehearse` within its folder, and its text.
extern const std::span<const std::pair<std::string_view, std::string_view>> kRehearsalFiles;

} // namespace memviz::hooks
