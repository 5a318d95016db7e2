#pragma once

// A comparison -> a summary for people: what grew over the whole recording, device by device, and at the moment
// compared the totals of both sides and the lines of code that changed most.

#include "export/compare_report.hpp"

#include <string>

namespace memviz {

[[nodiscard]] std::string compare_text(const CompareReport& report);

} // namespace memviz
