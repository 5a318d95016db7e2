#pragma once

// Rehearsals over axes -> text and JSON: one table, and the run that decides.

#include "verdict/fit_runs.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// Returns the schema of the JSON below, docs/schemas/rehearse.json.
[[nodiscard]] std::string rehearse_schema();

} // namespace memviz

namespace memviz::rehearse {

[[nodiscard]] std::string fit_text(const FitReport& report, std::size_t columns);
[[nodiscard]] std::string fit_json(const FitReport& report);

} // namespace memviz::rehearse
