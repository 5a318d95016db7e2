#pragma once

// Options of a recording, checked before anything is recorded.

#include "memviz/capture/recorder.hpp"

namespace memviz::capture {

/// Throws std::invalid_argument, which names the option and its possible values, or std::runtime_error if there is no
/// such device.
void check_options(const RecorderOptions& options);

} // namespace memviz::capture
