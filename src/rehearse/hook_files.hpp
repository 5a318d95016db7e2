#pragma once

// The Python files of hook/, embedded at build time.

#include <string_view>

namespace memviz::rehearse {

extern const std::string_view kSiteCustomize;
extern const std::string_view kHook;

} // namespace memviz::rehearse
