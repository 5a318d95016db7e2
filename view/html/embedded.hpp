#pragma once

// The parts of the page, embedded at build time.

#include <string_view>

namespace memviz::view {

extern const std::string_view kPageHtml;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kWorkerScript;
/// The engine, compressed with gzip; "" if it was not built.
extern const std::string_view kEngine;
extern const std::string_view kSample; ///< a small snapshot, packed with gzip

} // namespace memviz::view
