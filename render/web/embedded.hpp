#pragma once

// What the pictures bring for the browser, embedded at build time: the scripts that bundle.cmake makes of the modules
// in this folder, and its styles.

#include <string_view>

namespace memviz::render {

/// Of flame graphs, alone and compared.
extern const std::string_view kFlameScript;
/// Of pictures in which nothing but the width changes.
extern const std::string_view kPageScript;
extern const std::string_view kSegmentsScript;
extern const std::string_view kStateScript;
extern const std::string_view kTimelineScript;
/// Of every page; those of `state` and of timelines come after it.
extern const std::string_view kPageStyle;
extern const std::string_view kStateStyle;
extern const std::string_view kTimelineStyle;

} // namespace memviz::render
