#pragma once

// An inference server that found too little memory, and its figures -> the nearest settings that may fit.

#include "memviz/fit.hpp"

#include <string>
#include <vector>

namespace memviz::rehearse {

/// Sentences such as "--max-model-len 35648, by the server's own estimate."; none where the server fits, or
/// where its error and its figures do not show what it lacks.
[[nodiscard]] std::vector<std::string> settings_that_start(const FitVerdict& verdict);

} // namespace memviz::rehearse
