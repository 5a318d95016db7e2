#pragma once

// Several snapshots -> the names of what is made of each, below one folder.

#include "cli/command.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

/// Returns a path below `folder` for each operand: named as the snapshot with `ending` in place of its own, in the
/// folders that distinguish the snapshots. With --redact there are no folders, and the name is what outputs call the
/// file. Throws UsageError where two would be the same, or where one is a snapshot.
[[nodiscard]] std::vector<std::filesystem::path> outputs_below(const std::filesystem::path& folder,
                                                               const CommandOptions& options, std::string_view ending);

/// Makes the folder of a path. Throws Error.
void make_folder_of(const std::filesystem::path& path);

} // namespace memviz::cli
