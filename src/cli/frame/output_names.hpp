#pragma once

// Several snapshots -> the names of the outputs for each, below one folder.

#include "cli/frame/command.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

namespace memviz::cli {

/// Returns a path below `folder` for each operand: the snapshot's name with `ending` in place of its own, in the
/// folders that distinguish the snapshots. With --redact there are no folders, and the name is the file's name in
/// outputs. Throws UsageError if two would be the same, or if one is a snapshot.
[[nodiscard]] std::vector<std::filesystem::path> outputs_below(const std::filesystem::path& folder,
                                                               const CommandOptions& options, std::string_view ending);

/// Creates the folder of a path. Throws Error.
void make_folder_of(const std::filesystem::path& path);

} // namespace memviz::cli
