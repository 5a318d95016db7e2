#pragma once

// The Python files of hook/ and of the package's recording/, embedded at build time.

#include <string_view>

namespace memviz::record {

extern const std::string_view kSiteCustomize;
extern const std::string_view kInit;
extern const std::string_view kDevices;
extern const std::string_view kFiles;
extern const std::string_view kHistory;
extern const std::string_view kJob;
extern const std::string_view kOom;
extern const std::string_view kRecorder;
extern const std::string_view kSnapshot;
extern const std::string_view kTensors;
extern const std::string_view kWaiting;

} // namespace memviz::record
