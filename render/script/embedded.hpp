#pragma once

// The picture's script and style, embedded at build time from the .js and .css files beside this one.

namespace memviz::render {

extern const char* const kScript;
extern const char* const kStyle;
/// The same for timelines; their style comes after that of every page.
extern const char* const kTimelineScript;
extern const char* const kTimelineStyle;

} // namespace memviz::render
