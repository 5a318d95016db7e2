#pragma once

// The Python file of hook/, embedded at build time.

#include <string_view>

namespace memviz::rehearse {

extern const std::string_view kHook;

} // namespace memviz::rehearse
