#pragma once

// The picture's script and style, embedded at build time from the .js and .css files beside this one.

namespace memviz::render {

extern const char* const kScript;
extern const char* const kStyle;

} // namespace memviz::render
