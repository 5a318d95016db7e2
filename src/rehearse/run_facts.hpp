#pragma once

// What a rehearsed run left behind -> what is known of it. Two files of JSON lines: the report, one line a process, of
// the made-up GPU, and the log of the hook in each Python.

#include "memviz/fit.hpp"

#include <filesystem>

namespace memviz::rehearse {

/// Files that are not there, pipes and devices instead of them, and lines that are cut off or longer than 1 MiB count
/// as empty; the first 64 MiB of each file are read.
[[nodiscard]] RunFacts read_facts(const std::filesystem::path& report, const std::filesystem::path& log);

} // namespace memviz::rehearse
