#pragma once

// The parts of the page, embedded at build time.

#include <string_view>

namespace memviz::view {

extern const std::string_view kPageHtml;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kWorkerScript;
/// The engine, packed with zstd, and what unpacks it in a browser, packed with gzip; "" if they were not built.
extern const std::string_view kEngine;
extern const std::string_view kUnpacker;
extern const std::string_view kSample; ///< a small snapshot, packed with gzip

} // namespace memviz::view
