#pragma once

// A comparison -> a summary for people: totals of both sides, and the lines of code that changed most.

#include "memviz/compare.hpp"

#include <string>

namespace memviz {

[[nodiscard]] std::string compare_text(const Comparison& comparison);

} // namespace memviz
