#pragma once

// Explanations -> text for people and JSON for programs.

#include "memviz/explain.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz {

/// The explanations of a file to print.
struct ExplainReport {
  std::string file;
  const MemoryState& state;
  const std::vector<DeviceExplanation>& devices;
};

/// Returns the answer for a log, about the devices that failed, else about the first: what happened, why, advice, and
/// which lines hold most.
[[nodiscard]] std::string explain_brief(const ExplainReport& report, std::size_t columns = 100);

/// Returns the whole answer: as text, with sentences wrapped to this width (names may be longer), and as one JSON
/// object.
[[nodiscard]] std::string explain_text(const ExplainReport& report, std::size_t columns = 100);

[[nodiscard]] std::string explain_json(const std::string& file, const MemoryState& state,
                                       const std::vector<DeviceExplanation>& devices);

} // namespace memviz
