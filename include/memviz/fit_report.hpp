#pragma once

// Rehearsals over axes -> text and JSON: one table, and the run that decides.

#include "memviz/fit_runs.hpp"

#include <cstddef>
#include <string>

namespace memviz::rehearse {

[[nodiscard]] std::string fit_text(const FitReport& report, std::size_t columns);
[[nodiscard]] std::string fit_json(const FitReport& report);

} // namespace memviz::rehearse
