#pragma once

// A memory report -> JSON: what report.sqlite has in its tables of weights and activations, and what is said besides.

#include "memviz/memory_report.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/project_files.hpp"

#include <string>

namespace memviz {

struct ReportSubject {
  std::string file;
  const MemoryState& state; ///< with kinds
  const MemoryReport& report;
  const ProjectFiles& project;
};

/// One object, of the schema memviz.report. Throws Error where the stacks of entries spelled out are out of all
/// proportion to the recording.
[[nodiscard]] std::string report_json(const ReportSubject& subject);

} // namespace memviz
