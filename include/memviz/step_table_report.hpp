#pragma once

// The memory of each step -> a table for people and JSON for programs.

#include "memviz/step_table.hpp"

#include <string>
#include <vector>

namespace memviz {

[[nodiscard]] std::string step_tables_text(const std::string& file, const MemoryState& state,
                                           const std::vector<StepTable>& tables);
[[nodiscard]] std::string step_tables_json(const std::string& file, const MemoryState& state,
                                           const std::vector<StepTable>& tables);

} // namespace memviz
