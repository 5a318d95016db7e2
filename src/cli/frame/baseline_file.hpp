#pragma once

// A file named on the command line -> a baseline: read, or made from a recording.

#include "cli/frame/file_options.hpp"
#include "memviz/baseline.hpp"

#include <optional>
#include <string>

namespace memviz::cli {

/// Returns the baseline in `file`; nullopt if it is a snapshot, a pipe or standard input. Throws Error with `name`.
[[nodiscard]] std::optional<Baseline> baseline_in(const std::string& file, const std::string& name);

/// Adds the recording in `file`, under its name for pictures. Throws the exceptions of load().
void add_snapshot(Baseline& baseline, const std::string& file, const FileOptions& options);

} // namespace memviz::cli
