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

/// The answer for a log: of the devices that failed, else of the first, what happened, why, advice, and who holds most.
[[nodiscard]] std::string explain_brief(const ExplainReport& report, std::size_t columns = 100);

/// The whole answer as text, its sentences at most so wide; names are not cut for that. And as one JSON object.
[[nodiscard]] std::string explain_text(const ExplainReport& report, std::size_t columns = 100);

[[nodiscard]] std::string explain_json(const std::string& file, const MemoryState& state,
                                       const std::vector<DeviceExplanation>& devices);

} // namespace memviz
