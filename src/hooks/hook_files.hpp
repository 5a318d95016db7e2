#pragma once

// The Python files of record/, of the package's recording/ and of rehearse/, embedded at build time.

#include <span>
#include <string_view>
#include <utility>

namespace memviz::hooks {

/// The path of each file of `memviz run` within its folder, and its text; CMakeLists.txt lists them.
extern const std::span<const std::pair<std::string_view, std::string_view>> kHookFiles;

/// The texts of the files of `memviz rehearse`: the hook, and what it imports for jobs and for DeepSpeed.
extern const std::string_view kRehearsalHook;
extern const std::string_view kDeepSpeedHook;
extern const std::string_view kLaunchersHook;
extern const std::string_view kObjectsHook;
extern const std::string_view kSymmetricHook;
extern const std::string_view kWorldHook;

} // namespace memviz::hooks
