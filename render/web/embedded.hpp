#pragma once

// The scripts and styles of pictures, embedded at build time: bundle.cmake makes the scripts from the modules in this
// folder.

#include <string_view>

namespace memviz::render {

/// The script of flame graphs, alone and compared.
extern const std::string_view kFlameScript;
/// The script of pictures in which only the width changes.
extern const std::string_view kPageScript;
extern const std::string_view kSegmentsScript;
extern const std::string_view kStateScript;
extern const std::string_view kTimelineScript;
/// The style of every page; those of `state` and of timelines follow it.
extern const std::string_view kPageStyle;
extern const std::string_view kStateStyle;
extern const std::string_view kTimelineStyle;

} // namespace memviz::render
