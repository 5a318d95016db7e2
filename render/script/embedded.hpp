#pragma once

// The picture's script and style, embedded at build time from the .js and .css files beside this one.

namespace memviz::render {

extern const char* const kScript;
extern const char* const kStyle;
/// Of pictures in which nothing but the width changes; their style is that of every page.
extern const char* const kPageScript;
/// The same for timelines; their style comes after that of every page.
extern const char* const kTimelineScript;
extern const char* const kTimelineStyle;
/// The same for the segments of `state`.
extern const char* const kStateScript;
extern const char* const kStateStyle;

} // namespace memviz::render
