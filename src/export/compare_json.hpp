#pragma once

// A comparison -> JSON for programs: everything that its text says, and all lines that changed.

#include "export/compare_report.hpp"

#include <string>

namespace memviz {

[[nodiscard]] std::string compare_json(const CompareReport& report);

} // namespace memviz
