#pragma once

// The hook as a zip archive in memory, for a user without a folder that could keep it: Python imports from archives as
// well as from folders. For Linux.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace memviz::hooks {

/// Returns a zip archive of files that are not compressed, with all their dates in 1980.
[[nodiscard]] std::string zip_of(std::span<const std::pair<std::string_view, std::string_view>> files);

/// Puts the bytes into a file of no folder, which this process and the program that replaces it hold open, and returns
/// the path by which programs that they start find it, as long as this process id runs. Throws Error.
[[nodiscard]] std::filesystem::path path_in_memory(std::string_view bytes);

} // namespace memviz::hooks
