#pragma once

// A file that the command line names -> a baseline: read, or made of a recording.

#include "cli/file_options.hpp"
#include "memviz/baseline.hpp"

#include <optional>
#include <string>

namespace memviz::cli {

/// The baseline in `file`; nothing where it is a snapshot, a pipe or standard input. Throws Error with `name`.
[[nodiscard]] std::optional<Baseline> baseline_in(const std::string& file, const std::string& name);

/// Adds the recording in `file`, under its name for pictures. Throws what load() throws.
void add_snapshot(Baseline& baseline, const std::string& file, const FileOptions& options);

} // namespace memviz::cli
