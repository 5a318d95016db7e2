#pragma once

// A memory report -> JSON: the contents of report.sqlite's tables of weights and activations, and its notes.

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

/// Returns one object, of the schema memviz.report. Throws Error if the stacks of the entries, written out, are out of
/// all proportion to the recording.
[[nodiscard]] std::string report_json(const ReportSubject& subject);

} // namespace memviz
