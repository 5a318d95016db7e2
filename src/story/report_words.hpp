#pragma once

// A memory report -> sentences about it.

#include "memviz/report_json.hpp"

#include <string>
#include <vector>

namespace memviz {

/// Returns hints about what a reader of the report might miss, without full stops.
[[nodiscard]] std::vector<std::string> report_hints(const ReportSubject& subject, bool is_root_given);

} // namespace memviz
