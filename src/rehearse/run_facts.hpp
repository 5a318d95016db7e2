#pragma once

// The files that a rehearsed run left -> facts. Two files of JSON lines: the report of the made-up GPU, one line a
// process, and the log of the hook in each Python.

#include "memviz/fit.hpp"

#include <filesystem>

namespace memviz::rehearse {

/// Files that are not there, pipes and devices instead of them, and lines that are cut off or longer than 1 MiB count
/// as empty; the first 64 MiB of each file are read.
[[nodiscard]] RunFacts read_facts(const std::filesystem::path& report, const std::filesystem::path& log);

} // namespace memviz::rehearse
