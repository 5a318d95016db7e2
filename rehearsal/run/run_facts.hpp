#pragma once

// The files that a rehearsed run left -> facts. Two files of JSON lines: the report of the made-up GPU, one line per
// process, and the log of the hook in each Python.

#include "verdict/fit.hpp"

#include <filesystem>

namespace memviz::rehearse {

/// Reads the files. Missing files, pipes and devices, and lines that are truncated or longer than 1 MiB, count as
/// empty; reads the first 64 MiB of each file.
[[nodiscard]] RunFacts read_facts(const std::filesystem::path& report, const std::filesystem::path& log);

} // namespace memviz::rehearse
