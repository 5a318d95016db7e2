#pragma once

// An inference server that ran out of memory, and its figures -> the nearest settings that may fit.

#include "verdict/fit.hpp"

#include <string>
#include <vector>

namespace memviz::rehearse {

/// Returns sentences such as "--max-model-len 35648, by the server's own estimate."; none if the server fits, or if its
/// error and figures do not show what it lacks.
[[nodiscard]] std::vector<std::string> settings_that_start(const FitVerdict& verdict);

} // namespace memviz::rehearse
